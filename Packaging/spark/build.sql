-- Builds an index on Spark, byte for byte what `shardq build` makes. docs/distributed.md describes the job.
--
--   shardq plan-ranges --ranges 64 [options of build] SAMPLE > plan
--   spark-sql --conf spark.sql.catalogImplementation=in-memory --files bin/shardq,bin/shardq-commands,plan \
--     -d input=records -d work=/shared/work -d target=/shared/index -d partitions=256 -f build.sql
--   shardq merge --plan plan --out /shared/index $(cat /shared/work/counts/part-*) /shared/work/rows/part-*
--
-- input       Records, one a line: a file, a directory or a pattern. Spark unpacks files that end in .gz or .bz2.
-- work        A directory for the rows; the statements overwrite counts, written and rows in it.
-- target      The index: a directory that all machines reach by this path, or s3://bucket/prefix/.
-- partitions  Tasks that write shards; four times the number of ranges spreads them well.
--
-- A task may fail, run twice or be overtaken by a copy of itself: the files that it writes are named by their content,
-- and the rows of an attempt that Spark does not commit are never read.

SET spark.sql.shuffle.partitions = ${partitions};
-- A partition is the records of few ranges and the work of one process. Joined ones would be as large as a core's share.
SET spark.sql.adaptive.coalescePartitions.enabled = false;

-- Only a line feed ends a record. Spark would replace bytes that are no UTF-8 on their way to a program: the function
-- ends the job with an error instead.
CREATE TEMPORARY VIEW files USING text OPTIONS (path '${input}', lineSep '\n');
CREATE TEMPORARY VIEW records AS SELECT validate_utf8(value) AS record FROM files;

-- 1. The records and the ids that repeat others, as options of `shardq merge`.
INSERT OVERWRITE DIRECTORY '${work}/counts' USING text
SELECT concat('--records ', count(*), ' --repeated-ids ', count(id) - count(DISTINCT id))
FROM (
  SELECT nullif(hash, '') AS id FROM (
    SELECT TRANSFORM(record) ROW FORMAT DELIMITED FIELDS TERMINATED BY '\u0001'
      USING './shardq key --plan plan --ids'
      AS (hash STRING) ROW FORMAT DELIMITED FIELDS TERMINATED BY '\u0001'
    FROM records));

-- 2. The shards. Each record goes to the process that writes its range, which sorts by itself and prints a row a range,
-- and a line for each entry that the range's words and other names are.
INSERT OVERWRITE DIRECTORY '${work}/written' USING text
SELECT TRANSFORM(line) ROW FORMAT DELIMITED FIELDS TERMINATED BY '\u0001'
  USING './shardq write-range --plan plan --jobs 1 --out ${target}'
  AS (row STRING) ROW FORMAT DELIMITED FIELDS TERMINATED BY '\u0001'
FROM (
  SELECT line FROM (
    SELECT TRANSFORM(record) ROW FORMAT DELIMITED FIELDS TERMINATED BY '\u0001'
      USING './shardq key --plan plan'
      AS (line STRING) ROW FORMAT DELIMITED FIELDS TERMINATED BY '\u0001'
    FROM records)
  DISTRIBUTE BY substring_index(line, '\t', 1));

-- 3. The entries likewise, without the first column of their lines; and all rows in one directory, for `shardq merge`.
CREATE TEMPORARY VIEW written USING text OPTIONS (path '${work}/written', lineSep '\n');
INSERT OVERWRITE DIRECTORY '${work}/rows' USING text
SELECT value FROM written WHERE startswith(value, 'row\t')
UNION ALL
SELECT TRANSFORM(line) ROW FORMAT DELIMITED FIELDS TERMINATED BY '\u0001'
  USING './shardq write-range --plan plan --jobs 1 --entries --out ${target}'
  AS (row STRING) ROW FORMAT DELIMITED FIELDS TERMINATED BY '\u0001'
FROM (
  SELECT line FROM (SELECT substr(value, length('entry\t') + 1) AS line FROM written WHERE startswith(value, 'entry\t'))
  DISTRIBUTE BY substring_index(line, '\t', 1));
