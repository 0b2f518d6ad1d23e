#if SHARDQ_TSAN || hasFeature(Embedded) || canImport(Darwin)
  import CLibrary

  /// A word in memory of its own that several threads read and write.
  ///
  /// It has the members of `Synchronization.Atomic` that the sources use, for systems before macOS 15 and iOS 18. Every
  /// operation has sequentially consistent order. The builds for the thread sanitizer and as Embedded Swift use it too,
  /// so that Linux tests it.
  @safe package struct Atomic<Value: AtomicWord>: ~Copyable, @unchecked Sendable {
    private let word: UnsafeMutablePointer<UInt>

    package init(_ value: Value) {
      unsafe word = .allocate(capacity: 1)
      unsafe word.initialize(to: value.word)
    }

    deinit { unsafe word.deallocate() }

    package func load(ordering: AtomicOrdering) -> Value { unsafe Value(word: word_load(word)) }

    package func store(_ value: Value, ordering: AtomicOrdering) { unsafe word_store(word, value.word) }

    package func exchange(_ value: Value, ordering: AtomicOrdering) -> Value {
      unsafe Value(word: word_exchange(word, value.word))
    }

    package func compareExchange(
      expected: Value, desired: Value, ordering: AtomicOrdering
    ) -> (exchanged: Bool, original: Value) {
      var original = expected.word
      let isDone = unsafe word_compare_exchange(word, &original, desired.word)
      return (isDone, Value(word: original))
    }
  }

  extension Atomic where Value == Int {
    @discardableResult
    package func add(_ value: Int, ordering: AtomicOrdering) -> (oldValue: Int, newValue: Int) {
      let sum = unsafe Int(word: word_add(word, value.word))
      return (sum &- value, sum)
    }

    @discardableResult
    package func subtract(_ value: Int, ordering: AtomicOrdering) -> (oldValue: Int, newValue: Int) {
      let difference = unsafe Int(word: word_add(word, (0 &- value).word))
      return (difference &+ value, difference)
    }
  }

  /// The orders that callers ask for.
  package enum AtomicOrdering { case relaxed, acquiring, releasing, acquiringAndReleasing, sequentiallyConsistent }

  /// A value that is a word.
  package protocol AtomicWord {
    init(word: UInt)
    var word: UInt { get }
  }

  extension Int: AtomicWord {
    package init(word: UInt) { self.init(bitPattern: word) }
    package var word: UInt { UInt(bitPattern: self) }
  }

  extension Int32: AtomicWord {
    package init(word: UInt) { self.init(truncatingIfNeeded: word) }
    package var word: UInt { UInt(truncatingIfNeeded: self) }
  }

  extension Bool: AtomicWord {
    package init(word: UInt) { self = word != 0 }
    package var word: UInt { self ? 1 : 0 }
  }

  /// A value that is an address: an optional one is a word.
  package protocol AtomicAddress {}
  extension UnsafeRawPointer: @unsafe AtomicAddress {}
  extension Unmanaged: @unsafe AtomicAddress {}

  extension Optional: AtomicWord where Wrapped: AtomicAddress {
    package init(word: UInt) { self = unsafe unsafeBitCast(word, to: Self.self) }
    package var word: UInt { unsafe unsafeBitCast(self, to: UInt.self) }
  }
#else
  import Synchronization

  /// A word that several threads read and write.
  package typealias Atomic = Synchronization.Atomic
#endif
