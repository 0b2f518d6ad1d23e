-- Builds an index on Spark, with the same bytes as the index of `shardq build`. docs/distributed.md describes the job.
--
--   shardq plan-ranges --ranges 64 [options of build] SAMPLE > plan
--   spark-sql --conf spark.sql.catalogImplementation=in-memory --files bin/shardq,bin/shardq-commands,plan \
--     -d input=records -d work=/shared/job -d target=/shared/index -d partitions=256 -f build.sql
--   shardq merge --plan plan --output /shared/index --repeated-ids 0 /shared/job/rows/part-*
--
-- input       Records, one per line: a file, a directory or a pattern. Spark decompresses files that end in .gz or .bz2.
-- table       Instead of `input`: the name of a table, parquet.`/data/records`, or a query in parentheses. Each row becomes
--             a JSON object. A query has no double quotes.
-- over        Instead of both, for changes of an index: the option --over s3://bucket/prefix/. The target is the index's
--             place. The plan is made over the index: shardq plan-ranges --ranges 64 --over s3://bucket/prefix/.
-- changes     The changes as options: --upsert day.jsonl --delete gone.csv. --files also names these files.
-- ranges      The number of ranges of a plan over an index.
-- work        A directory for the rows; the statements overwrite its folders `written` and `rows`.
-- target      The index: a directory that all machines reach by this path, or s3://bucket/prefix/. For s3://, --files also
--             names bin/shardq-remote.
-- partitions  The number of tasks that write shards; four times the number of ranges spreads the ranges well.
-- stderr      Nothing, or a redirection of the programs' messages, such as 2>>/tmp/shardq.log. Without it, Spark shows the
--             messages of a failed program alone, and nobody sees the lines of progress.
--
-- A task may fail, run twice or be overtaken by a copy of itself: the content of its files gives their names, and
-- `shardq merge` never reads rows that Spark did not commit.
-- If ids may be repeated, counts.sql counts repeated ids for `shardq merge`.

SET spark.sql.shuffle.partitions = ${partitions};
-- A partition has the records of a few ranges, for one process. Spark would join partitions up to the share of a core.
SET spark.sql.adaptive.coalescePartitions.enabled = false;

-- 1. The shards. Each record goes to the process that writes its range. The process sorts its records, and prints a row
-- and a summary for each range, and a line for each entry of later words and other names. Only a line feed ends a record.
-- Spark would replace invalid UTF-8 on the way to a program: validate_utf8 ends the job with an error instead.
DECLARE OR REPLACE VARIABLE records STRING DEFAULT if(r"${table}" = '',
  r"CREATE OR REPLACE TEMPORARY VIEW records USING text OPTIONS (path '${input}', lineSep '\n')",
  r"CREATE OR REPLACE TEMPORARY VIEW records AS SELECT to_json(struct(*), map(
      'timestampFormat', 'yyyy-MM-dd\'T\'HH:mm:ss.SSSSSSXXX', 'timestampNTZFormat', 'yyyy-MM-dd\'T\'HH:mm:ss.SSSSSS'
    )) AS value FROM ${table}");
DECLARE OR REPLACE VARIABLE lines STRING DEFAULT
  r"CREATE OR REPLACE TEMPORARY VIEW lines AS
    SELECT TRANSFORM(validate_utf8(value)) ROW FORMAT DELIMITED FIELDS TERMINATED BY '\u0001'
      USING './shardq key --plan plan ${stderr}'
      AS (line STRING) ROW FORMAT DELIMITED FIELDS TERMINATED BY '\u0001'
    FROM records";
-- Over an index, a process gets the numbers of ranges, and reads their records there.
SET VARIABLE (records, lines) = (SELECT
  if(r"${over}" = '', records, "CREATE OR REPLACE TEMPORARY VIEW records AS SELECT '' AS value"),
  if(r"${over}" = '', lines,
    "CREATE OR REPLACE TEMPORARY VIEW lines AS SELECT CAST(id AS STRING) AS line FROM range(0${ranges})"));
EXECUTE IMMEDIATE records;
EXECUTE IMMEDIATE lines;
INSERT OVERWRITE DIRECTORY '${work}/written' USING text
SELECT TRANSFORM(line) ROW FORMAT DELIMITED FIELDS TERMINATED BY '\u0001'
  USING './shardq write-range --plan plan --jobs 1 --output ${target} ${over} ${changes} ${stderr}'
  AS (row STRING) ROW FORMAT DELIMITED FIELDS TERMINATED BY '\u0001'
FROM (SELECT line FROM lines DISTRIBUTE BY substring_index(line, '\t', 1));

-- 2. The entries, without the first column of their lines; then all rows and summaries in one directory, for
-- `shardq merge` and for people.
CREATE OR REPLACE TEMPORARY VIEW written USING text OPTIONS (path '${work}/written', lineSep '\n');
INSERT OVERWRITE DIRECTORY '${work}/rows' USING text
SELECT value FROM written WHERE startswith(value, 'row\t') OR startswith(value, 'summary\t')
UNION ALL
SELECT TRANSFORM(line) ROW FORMAT DELIMITED FIELDS TERMINATED BY '\u0001'
  USING './shardq write-range --plan plan --jobs 1 --entries --output ${target} ${over} ${stderr}'
  AS (row STRING) ROW FORMAT DELIMITED FIELDS TERMINATED BY '\u0001'
FROM (
  SELECT line FROM (SELECT substr(value, length('entry\t') + 1) AS line FROM written WHERE startswith(value, 'entry\t'))
  DISTRIBUTE BY substring_index(line, '\t', 1));
