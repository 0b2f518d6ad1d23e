-- Counts the records and the repeated ids, as options of `shardq merge`. The variables are those of build.sql:
--
--   shardq merge --plan plan --output /shared/index $(cat /shared/job/counts/part-*) /shared/job/rows/part-*
--
-- The statement reads all records once more. If ids are unique, such as a table's primary key, `--repeated-ids 0` replaces
-- the statement.

SET spark.sql.shuffle.partitions = ${partitions};
-- As in build.sql.
DECLARE OR REPLACE VARIABLE records STRING DEFAULT if(r"${table}" = '',
  r"CREATE OR REPLACE TEMPORARY VIEW records USING text OPTIONS (path '${input}', lineSep '\n')",
  r"CREATE OR REPLACE TEMPORARY VIEW records AS SELECT to_json(struct(*), map(
      'timestampFormat', 'yyyy-MM-dd\'T\'HH:mm:ss.SSSSSSXXX', 'timestampNTZFormat', 'yyyy-MM-dd\'T\'HH:mm:ss.SSSSSS'
    )) AS value FROM ${table}");
EXECUTE IMMEDIATE records;
INSERT OVERWRITE DIRECTORY '${work}/counts' USING text
SELECT concat('--records ', count(*), ' --repeated-ids ', count(id) - count(DISTINCT id))
FROM (
  SELECT nullif(hash, '') AS id FROM (
    SELECT TRANSFORM(validate_utf8(value)) ROW FORMAT DELIMITED FIELDS TERMINATED BY '\u0001'
      USING './shardq key --plan plan --ids ${stderr}'
      AS (hash STRING) ROW FORMAT DELIMITED FIELDS TERMINATED BY '\u0001'
    FROM records));
