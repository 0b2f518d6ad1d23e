-- Counts the records and the ids that come again, as options of `shardq merge`, with the variables of build.sql:
--
--   shardq merge --plan plan --out /shared/index $(cat /shared/job/counts/part-*) /shared/job/rows/part-*
--
-- The statement reads all records once more. It is not needed where ids are known to be unique, as a table's primary key:
-- then `--repeated-ids 0` says so.

SET spark.sql.shuffle.partitions = ${partitions};
CREATE OR REPLACE TEMPORARY VIEW records USING text OPTIONS (path '${input}', lineSep '\n');
INSERT OVERWRITE DIRECTORY '${work}/counts' USING text
SELECT concat('--records ', count(*), ' --repeated-ids ', count(id) - count(DISTINCT id))
FROM (
  SELECT nullif(hash, '') AS id FROM (
    SELECT TRANSFORM(validate_utf8(value)) ROW FORMAT DELIMITED FIELDS TERMINATED BY '\u0001'
      USING './shardq key --plan plan --ids'
      AS (hash STRING) ROW FORMAT DELIMITED FIELDS TERMINATED BY '\u0001'
    FROM records));
