# A template that Scripts/dist.sh fills in. docs/install.md says which parts were tried.
class Shardq < Formula
  desc "Type-ahead over lists too big to load"
  homepage "https://example.com/shardq"
  url "https://example.com/shardq-VERSION.tar.gz"
  sha256 "SHA256"
  license "MIT"

  depends_on "pkgconf" => :build
  depends_on xcode: ["26.0", :build]
  depends_on "nettle"
  depends_on "zstd"

  uses_from_macos "python" => :build
  uses_from_macos "swift" => :build
  uses_from_macos "sqlite"
  uses_from_macos "zlib"

  def install
    # Homebrew already runs this in a sandbox, and sandboxes do not nest.
    system "make", "install", "PREFIX=#{prefix}", "BUILDFLAGS=--disable-sandbox",
           "bashdir=#{bash_completion}", "zshdir=#{zsh_completion}", "fishdir=#{fish_completion}"
    pkgshare.install "shards"
  end

  test do
    assert_match "Reykjavík", shell_output("#{bin}/shardq --index #{pkgshare}/shards reykj")
    (testpath/"list.csv").write "name,country\nOslo,NO\n"
    system bin/"shardq", "build", "list.csv", "--index", "list"
    assert_match "Oslo", shell_output("#{bin}/shardq --index list os")
  end
end
