-- Builds an index on Spark, byte for byte what `shardq build` makes. docs/distributed.md describes the job.
--
--   shardq plan-ranges --ranges 64 [options of build] SAMPLE > plan
--   spark-sql --conf spark.sql.catalogImplementation=in-memory --files bin/shardq,bin/shardq-commands,plan \
--     -d input=records -d work=/shared/job -d target=/shared/index -d partitions=256 -f build.sql
--   shardq merge --plan plan --out /shared/index --repeated-ids 0 /shared/job/rows/part-*
--
-- input       Records, one a line: a file, a directory or a pattern. Spark unpacks files that end in .gz or .bz2.
-- work        A directory for the rows; the statements overwrite `written` and `rows` in it.
-- target      The index: a directory that all machines reach by this path, or s3://bucket/prefix/. For the latter --files
--             names bin/shardq-store too.
-- partitions  Tasks that write shards; four times the number of ranges spreads them well.
--
-- A task may fail, run twice or be overtaken by a copy of itself: the files that it writes are named by their content,
-- and the rows of an attempt that Spark does not commit are never read.
-- Where ids may come twice, counts.sql counts them for `shardq merge`.

SET spark.sql.shuffle.partitions = ${partitions};
-- A partition is the records of few ranges and the work of one process. Joined ones would be as large as a core's share.
SET spark.sql.adaptive.coalescePartitions.enabled = false;

-- 1. The shards. Each record goes to the process that writes its range, which sorts by itself and prints a row a range,
-- and a line for each entry that the range's words and other names are. Only a line feed ends a record. Spark would
-- replace bytes that are no UTF-8 on their way to a program: validate_utf8 ends the job with an error instead.
CREATE OR REPLACE TEMPORARY VIEW records USING text OPTIONS (path '${input}', lineSep '\n');
INSERT OVERWRITE DIRECTORY '${work}/written' USING text
SELECT TRANSFORM(line) ROW FORMAT DELIMITED FIELDS TERMINATED BY '\u0001'
  USING './shardq write-range --plan plan --jobs 1 --out ${target}'
  AS (row STRING) ROW FORMAT DELIMITED FIELDS TERMINATED BY '\u0001'
FROM (
  SELECT line FROM (
    SELECT TRANSFORM(validate_utf8(value)) ROW FORMAT DELIMITED FIELDS TERMINATED BY '\u0001'
      USING './shardq key --plan plan'
      AS (line STRING) ROW FORMAT DELIMITED FIELDS TERMINATED BY '\u0001'
    FROM records)
  DISTRIBUTE BY substring_index(line, '\t', 1));

-- 2. The entries likewise, without the first column of their lines; and all rows in one directory, for `shardq merge`.
CREATE OR REPLACE TEMPORARY VIEW written USING text OPTIONS (path '${work}/written', lineSep '\n');
INSERT OVERWRITE DIRECTORY '${work}/rows' USING text
SELECT value FROM written WHERE startswith(value, 'row\t')
UNION ALL
SELECT TRANSFORM(line) ROW FORMAT DELIMITED FIELDS TERMINATED BY '\u0001'
  USING './shardq write-range --plan plan --jobs 1 --entries --out ${target}'
  AS (row STRING) ROW FORMAT DELIMITED FIELDS TERMINATED BY '\u0001'
FROM (
  SELECT line FROM (SELECT substr(value, length('entry\t') + 1) AS line FROM written WHERE startswith(value, 'entry\t'))
  DISTRIBUTE BY substring_index(line, '\t', 1));
