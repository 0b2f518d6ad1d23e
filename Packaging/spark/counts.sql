-- Counts the records and the repeated ids, as options of `shardq merge`. The variables are those of build.sql:
--
--   shardq merge --plan plan --output /shared/index $(cat /shared/job/counts/part-*) /shared/job/rows/part-*
--
-- The statement reads all records once more. If ids are unique, such as a table's primary key, `--repeated-ids 0` replaces
-- the statement.

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
