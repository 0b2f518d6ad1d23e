"""Tests Scripts/steps.sh: a step is left out only if it passed before with the same inputs."""

import os
import pathlib
import subprocess
import tempfile
import unittest

STEPS = pathlib.Path(__file__).resolve().parents[2] / "Scripts" / "steps.sh"
STEP = 'step "a title" --of "bin Sources" sh -c "echo ran >ran; echo the end"'


class Steps(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        (self.root / "Sources" / "below").mkdir(parents=True)
        (self.root / "bin").mkdir()
        self.write("Sources/a", "a")
        self.write("Sources/below/b", "b")
        self.write("bin/shardq", "program")
        self.write("other", "other")
        self.passes("a first run")
        self.unchanged("nothing changed")

    def write(self, name, text):
        (self.root / name).write_text(text)

    def run_step(self, step=STEP, before="true", status=0, **variables):
        script = f"""set -eu; logs=.build/check; rm -rf $logs; mkdir -p $logs; {before}; . {STEPS}
            {step}
            steps_table; cat $logs/*.log"""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("SHARDQ_")}
        (self.root / "ran").unlink(missing_ok=True)
        done = subprocess.run(["sh", "-c", script], cwd=self.root, env={**environment, **variables}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
        self.assertEqual(done.returncode, status, done.stdout)
        return done.stdout, (self.root / "ran").exists()

    def passes(self, why, *arguments, **options):
        said, ran = self.run_step(*arguments, **options)
        self.assertTrue(ran, f"left out: {why}: {said}")
        self.assertIn("passed in", said)
        return said

    def unchanged(self, why, *arguments, **options):
        said, ran = self.run_step(*arguments, **options)
        self.assertFalse(ran, f"run again: {why}")
        self.assertRegex(said, r"unchanged since \d{4}-\d\d-\d\d \d\d:\d\d: a title")
        self.assertTrue(said.endswith("the end\n"), "the last line of its log is the earlier one: " + said)

    def runs_again(self, why, **options):
        self.passes(why, **options)
        self.unchanged("the same after: " + why, **options)

    def test_changes_of_inputs(self):
        self.write("Sources/a", "another")
        self.runs_again("another content")
        self.write("Sources/new", "")
        self.runs_again("a new file")
        (self.root / "Sources/new").rename(self.root / "Sources/newer")
        self.runs_again("another name")
        (self.root / "Sources/below/b").chmod(0o755)
        self.runs_again("another mode")
        (self.root / "Sources/below/b").unlink()
        self.runs_again("a file that is gone")
        (self.root / "Sources/link").symlink_to("a")
        self.runs_again("a new link")
        (self.root / "Sources/link").unlink()
        (self.root / "Sources/link").symlink_to("newer")
        self.runs_again("a link to another file")
        self.write("bin/shardq", "another program")
        self.runs_again("another program")

    def test_changes_of_the_rest(self):
        self.runs_again("another variable", SHARDQ_LONG="1")
        self.passes("the variable is gone")
        self.runs_again("another command", step=STEP.replace(">ran", ">>ran"))
        data = self.root / "data"
        data.mkdir()
        self.runs_again("a folder of datasets", SHARDQ_DATA=str(data))
        (data / "list.csv").write_text("a\n")
        self.runs_again("a new dataset", SHARDQ_DATA=str(data))

    def test_changes_that_no_step_reads(self):
        self.write("other", "changed")
        for folder in (".build", "__pycache__"):
            (self.root / "Sources" / folder).mkdir()
            self.write(f"Sources/{folder}/made", "by a build")
        self.write("Sources/.lock", "")
        self.unchanged("files that are no inputs")

    def test_steps_that_run_always(self):
        self.passes("--all", before="all=yes")
        for _ in range(2):
            self.passes("a step without inputs", step='step "a title" sh -c "echo ran >ran"')
        for why, step in {
            "a check was left out": 'step "b" --of Sources sh -c "echo ran >ran; echo skipped: no tool"',
            "a tool is missing": 'step "c" --of Sources skippable sh -c "echo ran >ran; exit 77"',
            "the inputs changed meanwhile": 'step "d" --of Sources sh -c "echo ran >ran; date +%N >Sources/d"',
        }.items():
            for _ in range(2):
                self.passes(why, step)

    def test_a_step_that_failed_runs_again(self):
        for _ in range(2):
            said, ran = self.run_step('step "a title" --of "bin Sources" sh -c "echo ran >ran; exit 3"', status=1)
            self.assertTrue(ran)
            self.assertIn("FAILED with status 3", said)
        self.passes("it failed last")

    def test_a_program_that_waits_forever_ends(self):
        said, _ = self.run_step('step "a title" sh -c "echo begun; sleep 50"', "limit=1", status=1)
        self.assertIn("begun\n", said)
        self.assertIn("FAILED with status 124", said)
        said, _ = self.run_step('step "a title" skippable sh -c "sleep 50"', "limit=1", status=1)
        self.assertIn("FAILED with status 124", said)

    def test_a_step_that_failed_before_has_not_passed(self):
        """A failure with other inputs, which are put back: the step passed with these before, but not since."""
        step = 'step "a title" --of Sources sh -c "echo ran >ran; test ! -e Sources/wrong"'
        self.passes("a first run", step)
        self.write("Sources/wrong", "")
        self.run_step(step, status=1)
        (self.root / "Sources/wrong").unlink()
        self.passes("it failed last", step)

    def test_an_input_that_is_missing_is_an_error(self):
        said, ran = self.run_step('step "a title" --of "Sources none" sh -c "echo ran >ran"', status=1)
        self.assertFalse(ran)
        self.assertIn("an input that is missing: none", said)

    def test_the_table_has_the_steps_that_ran(self):
        said = self.passes("--all", before="all=yes")
        self.assertRegex(said, r"(?m)^ +time processor\n +\d+ s +\d+ s  a title\n +\d+ s +\d+ s  all steps$")
