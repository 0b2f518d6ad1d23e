import TestSupport
import Testing

import CLibrary

@Suite("build --watch", .enabled(if: Program.isThere, Comment(rawValue: Program.absence)))
struct BuildWatchTests {
  /// Runs a script in which `$p` is a watching build of `r.jsonl` into `i`, and `is N` waits until it has N records.
  private func script(_ body: String, before: String = "", _ scratch: TemporaryDirectory) -> Program.Result {
    let script = #"""
      PATH="$1:$PATH"; cd "$2"; \#(before)
      is() { for n in $(seq 300); do test "$(shardq -i i --count '' 2>/dev/null)" = "$1" && return; sleep 0.1; done
        echo "not $1 records, but $(shardq -i i --count '' 2>&1)"; cat err; kill -KILL $p; exit 9; }
      said() { for n in $(seq 300); do grep -q "$1" err && return; sleep 0.1; done
        echo "did not say $1"; cat err; kill -KILL $p; exit 9; }
      shardq build --watch -i i --key '{name}' r.jsonl 2>err 9>&- & p=$!
      """# + "\n" + body
    return Program.run(["-c", script, "shell", Program.directory!, scratch.path], program: "/bin/bash")
  }

  private static func record(_ name: String) -> String { #"{"name":"\#(name)"}"# + "\n" }

  @Test("A changed dataset is built again; a bad or missing dataset leaves the index") func changes() {
    let scratch = TemporaryDirectory()
    scratch.write(Self.record("a"), to: "r.jsonl")
    scratch.write(Self.record("a") + Self.record("b"), to: "two")
    scratch.write(Self.record("a") + Self.record("b") + Self.record("c"), to: "three")
    scratch.write(Self.record("a") + "{\n", to: "bad")
    let result = script(
      """
      is 1; cp two r.jsonl; is 2; cp bad r.jsonl; said 'r.jsonl:2:'; is 2
      rm r.jsonl; said 'waiting for the file'; is 2; mv three r.jsonl; is 3; echo '{"name":"d"}' >>r.jsonl; is 4
      kill -TERM $p; wait $p; echo $?; tail -n 1 err; shardq verify -i i 2>&1; ls -A | grep -v -e '^err$' -e '^i$'; ls -A i | grep shardq
      """, scratch)
    // A shard of the previous generation is still there.
    let lines = result.output.split(separator: "\n").map(String.init).filter { !$0.contains("kept for readers") }
    #expect(lines.count == 6 && lines[0] == "143" && lines[1] == "stopped", "\(result)")
    #expect(lines[2...].contains { $0.contains("every byte is sound") }, "\(result)")
  }

  @Test("A bad dataset is built once corrected; a signal ends the wait for it too") func badAtFirst() {
    let scratch = TemporaryDirectory()
    scratch.write("{\n", to: "r.jsonl")
    let result = script(
      "said 'r.jsonl:'; echo '{\"name\":\"a\"}' >r.jsonl; is 1; kill -INT $p; wait $p; echo $?", scratch)
    #expect(result.output == "130\n", "\(result)")
  }

  @Test("A watching build waits while another build runs") func locked() {
    let scratch = TemporaryDirectory()
    scratch.write(Self.record("a"), to: "r.jsonl")
    #if os(Linux)
      let result = script(
        """
        said 'another build is running'; sleep 2; exec 9>&-; is 1; kill -TERM $p; wait $p; echo $?; grep -c another err
        """, before: "mkdir i; exec 9>i/.lock; flock 9", scratch)
      #expect(result.output == "143\n1\n", "\(result)")
    #endif
  }

  @Test func usage() {
    let scratch = TemporaryDirectory()
    #expect(Program.run(["build", "--watch", "-i", scratch.path + "/i", "-"]).status == 64)
    #expect(Files.names(in: scratch.path).isEmpty)
  }
}
