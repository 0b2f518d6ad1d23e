"""Starts Spark: jobs of Packaging/spark, and a standalone cluster on two addresses of this machine."""

import os
import signal
import socket
import subprocess
import time

import pyspark
from ranges import BIN, ENVIRONMENT, PATIENCE, ROOT, SCRATCH

HOME = os.path.dirname(pyspark.__file__)
SQL = [os.path.join(ROOT, "Packaging/spark", name) for name in ("counts.sql", "build.sql")]
ENVIRONMENT = {**ENVIRONMENT, "SPARK_HOME": HOME, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_DIRS": SCRATCH,
               "LC_ALL": "C.UTF-8", "JAVA_HOME": os.environ.get("JAVA_HOME", "")}
if not ENVIRONMENT["JAVA_HOME"]:
    del ENVIRONMENT["JAVA_HOME"]
SETTINGS = {
    "spark.sql.catalogImplementation": "in-memory", "spark.sql.warehouse.dir": os.path.join(SCRATCH, "warehouse"),
    "spark.ui.enabled": "false", "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1",
    # Small files are several tasks all the same.
    "spark.sql.files.maxPartitionBytes": "1m", "spark.sql.files.openCostInBytes": "0",
}


def start(source, work, target, plan, program, master="local[2,4]", partitions=12, stderr=None, ranges=None, **settings):
    """Starts a job whose tasks call `program` as shardq. The source is a file of lines, or a name or a query for FROM, and
    its ids are counted; with a number of ranges it has the options of changes of the index at the target. The programs append their
    messages to the file `stderr`."""
    command = ["--files", ",".join([program, os.path.join(BIN, "shardq-commands"), plan])]
    kind = "changes" if ranges else "input" if os.path.isabs(source) else "table"
    if ranges:
        command += ["-d", "over=--over " + target, "-d", "ranges=%d" % ranges]
    for name, value in ((kind, source), ("work", work), ("target", target), ("partitions", partitions)):
        command += ["-d", "%s=%s" % (name, value)]
    if stderr:
        command += ["-d", "stderr=2>>" + stderr]
    here = os.path.dirname(work)
    job = os.path.join(here, "job.sql")
    with open(job, "w", encoding="utf-8") as file:
        for name in SQL[1:] if ranges else SQL:
            with open(name, encoding="utf-8") as part:
                file.write(part.read())
    return run([*command, "-f", job], here, master, **settings)


def run(arguments, here, master="local[2]", **settings):
    """Starts spark-sql with a log in a directory."""
    command = [os.path.join(HOME, "bin/spark-sql"), "--master", master]
    for name, value in {**SETTINGS, **settings}.items():
        command += ["--conf", "%s=%s" % (name, value)]
    with open(os.path.join(here, "job.log"), "wb") as log:
        return subprocess.Popen([*command, *arguments], cwd=here, stdout=log, stderr=log, env=ENVIRONMENT,
                                start_new_session=True)


def configured(directory):
    """The environment in which `spark-sql` and `shardq` are found, and the settings come from a file."""
    with open(os.path.join(directory, "spark-defaults.conf"), "w") as file:
        file.writelines("%s %s\n" % setting for setting in {**SETTINGS, "spark.executor.memory": "512m"}.items())
    search = os.pathsep.join([BIN, os.path.join(HOME, "bin"), ENVIRONMENT["PATH"]])
    return {**ENVIRONMENT, "PATH": search, "SPARK_CONF_DIR": directory}


def end(job, log):
    """Waits for a job; raises its log if it fails."""
    try:
        status = job.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(job.pid, signal.SIGKILL)
        status = "none in time"
    if status != 0:
        with open(log, encoding="utf-8", errors="replace") as file:
            lines = [line for line in file if not line.startswith("\tat ")]
        raise AssertionError("the job's status: %s\n%s" % (status, "".join(lines[-40:])))


class Cluster:
    """A master and workers, each with one core, on 127.0.0.1 and 127.0.0.2: for Spark they are two hosts."""

    def __init__(self, directory, workers=("127.0.0.1", "127.0.0.2")):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.master = "spark://127.0.0.1:%d" % port
        self.directory = directory
        self.processes = []
        try:
            self._start("master", "deploy.master.Master", "I have been elected leader", "127.0.0.1", "--port", str(port))
            for host in workers:
                self._start(host, "deploy.worker.Worker", "Successfully registered", host, "--cores", "1", "--memory",
                            "1g", "--work-dir", os.path.join(directory, "work-" + host), self.master)
        except BaseException:
            self.stop()
            raise

    def _start(self, name, kind, text, host, *arguments):
        """Starts a process of the cluster and waits for a text in its log."""
        # Messages of the level INFO say when one is ready.
        with open(os.path.join(self.directory, "log4j2.properties"), "w") as file:
            file.write("rootLogger.level = info\nrootLogger.appenderRef.stdout.ref = console\n"
                       "appender.console.type = Console\nappender.console.name = console\n"
                       "appender.console.target = SYSTEM_ERR\nappender.console.layout.type = PatternLayout\n"
                       "appender.console.layout.pattern = %m%n\n")
        environment = {**ENVIRONMENT, "SPARK_LOCAL_IP": host, "SPARK_DAEMON_MEMORY": "512m",
                       "SPARK_DAEMON_JAVA_OPTS": "-Dlog4j2.configurationFile=file:%s/log4j2.properties" % self.directory}
        command = [os.path.join(HOME, "bin/spark-class"), "org.apache.spark." + kind, "--host", host, "--webui-port", "0"]
        path = os.path.join(self.directory, name + ".log")
        with open(path, "wb") as log:
            process = subprocess.Popen([*command, *arguments], stdout=log, stderr=log, env=environment,
                                       start_new_session=True)
        self.processes.append(process)
        deadline = time.monotonic() + PATIENCE
        while True:
            with open(path, encoding="utf-8", errors="replace") as file:
                said = file.read()
            if text in said:
                return
            if process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError("%s did not start: %s" % (name, said[-2000:]))
            time.sleep(0.2)

    def kill(self, number):
        """Kills a worker with its executors; 0 is the master."""
        process = self.processes[number]
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def stop(self):
        for number in reversed(range(len(self.processes))):
            self.kill(number)
