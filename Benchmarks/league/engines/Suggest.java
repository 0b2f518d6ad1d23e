// Lucene's suggesters over a list. The first line of the input is the number of texts; then each text is a line with a
// weight, a row and the text. Each later line is a request; its answer is a line of rows.
//
//     java Suggest EDITS DIRECTORY LIMIT
//
// Without edits it is the suggester that finds words in any order.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.lucene.analysis.core.KeywordAnalyzer;
import org.apache.lucene.analysis.core.WhitespaceAnalyzer;
import org.apache.lucene.search.suggest.InputIterator;
import org.apache.lucene.search.suggest.Lookup;
import org.apache.lucene.search.suggest.analyzing.AnalyzingInfixSuggester;
import org.apache.lucene.search.suggest.analyzing.AnalyzingSuggester;
import org.apache.lucene.search.suggest.analyzing.FuzzySuggester;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.MMapDirectory;
import org.apache.lucene.util.BytesRef;

public class Suggest {
  record Name(long weight, String row, String text) {}

  static class Names implements InputIterator {
    private final Iterator<Name> names;
    private Name name;

    Names(List<Name> names) {
      this.names = names.iterator();
    }

    public BytesRef next() {
      if (!names.hasNext()) return null;
      name = names.next();
      return new BytesRef(name.text);
    }

    public long weight() {
      return name.weight;
    }

    public BytesRef payload() {
      return new BytesRef(name.row);
    }

    public boolean hasPayloads() {
      return true;
    }

    public Set<BytesRef> contexts() {
      return null;
    }

    public boolean hasContexts() {
      return false;
    }
  }

  static Lookup make(int edits, Directory directory) throws IOException {
    if (edits == 0) return new AnalyzingInfixSuggester(directory, new WhitespaceAnalyzer());
    var analyzer = new KeywordAnalyzer();
    int options = AnalyzingSuggester.EXACT_FIRST | AnalyzingSuggester.PRESERVE_SEP;
    // Its defaults, but in characters instead of bytes and with the first letter free too.
    return new FuzzySuggester(directory, "fuzzy", analyzer, analyzer, options, 256, -1, true, edits, true, 0, 3, true);
  }

  public static void main(String[] arguments) throws IOException {
    var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    var output = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    int limit = Integer.parseInt(arguments[2]);
    List<Name> names = new java.util.ArrayList<>();
    for (int left = Integer.parseInt(input.readLine()); left > 0; left--) {
      String[] fields = input.readLine().split("\t", 3);
      names.add(new Name(Long.parseLong(fields[0]), fields[1], fields[2]));
    }
    Lookup lookup = make(Integer.parseInt(arguments[0]), new MMapDirectory(Path.of(arguments[1])));
    lookup.build(new Names(names));
    output.println("ready");
    for (String text = input.readLine(); text != null; text = input.readLine()) {
      List<Lookup.LookupResult> found = text.isEmpty() ? List.of() : lookup.lookup(text, false, limit);
      output.println(found.stream().map(hit -> hit.payload.utf8ToString()).collect(Collectors.joining(" ")));
    }
  }
}
