import DownloadCore

// How new downloads come in: typed into the form, or pasted anywhere.

extension Screen {
  mutating func adding(_ key: Key, _ form: AddForm, _ snapshot: Snapshot) -> [Action] {
    var form = form
    switch key {
    case .escape: mode = .table
    case .enter: return submit(form)
    case .paste(let text): paste(text, into: form, snapshot)
    default:  // the form's own keys
      form.handle(key)
      mode = .adding(form)
    }
    return []
  }

  private mutating func submit(_ form: AddForm) -> [Action] {
    var form = form
    guard form.check() else {
      mode = .adding(form)
      return []
    }
    mode = .table
    return form.downloads.isEmpty ? [] : [.add(form.downloads)]
  }

  /// Addresses are picked out of whatever is around them; a command brings more than the form has fields for.
  private mutating func paste(_ text: String, into form: AddForm, _ snapshot: Snapshot) {
    var form = form
    let pasted = PastedText(text)
    if pasted.hasCommand { return review(pasted, snapshot) }
    let isAddress = form.current == .address && !pasted.offers.isEmpty
    form.handle(.paste(isAddress ? pasted.offers.map(\.download.address).joined(separator: " ") : text))
    mode = .adding(form)
  }

  /// A paste outside of any field. One address alone can be completed in the form; more, or a command, are looked through.
  mutating func paste(_ text: String, _ snapshot: Snapshot) {
    let pasted = PastedText(text)
    if pasted.hasCommand || pasted.offers.count > 1 { return review(pasted, snapshot) }
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    mode = .adding(AddForm(address: pasted.offers.first?.download.address ?? words, folder: folder))
  }

  private mutating func review(_ pasted: PastedText, _ snapshot: Snapshot) {
    guard !pasted.offers.isEmpty else { return complain("there is no address in the command") }
    mode = .reviewing(Review(pasted.offers, known: Self.known(snapshot)))
  }

  mutating func reviewing(_ key: Key, _ review: Review, _ snapshot: Snapshot, _ size: Size) -> [Action] {
    var review = review
    switch key {
    case .escape, .character("q"): mode = .table
    case .enter:
      mode = .table
      return review.ticked.isEmpty ? [] : [.add(review.ticked)]
    case .paste(let text):
      review.add(PastedText(text).offers, known: Self.known(snapshot))
      mode = .reviewing(review)
    default:  // the list's own keys
      review.handle(key, rows: Review.list(in: layout(size).body).rows)
      mode = .reviewing(review)
    }
    return []
  }

  /// The addresses of the list. The session has them in their normal form.
  private static func known(_ snapshot: Snapshot) -> Set<String> { Set(snapshot.downloads.lazy.map(\.url)) }

  /// How many of the form's addresses are in the list.
  func twins(of form: AddForm, _ snapshot: Snapshot) -> Int {
    let addresses = Set(form.addresses.prefix(100).map(AddressText.normal))
    guard !addresses.isEmpty else { return 0 }
    return addresses.intersection(snapshot.downloads.lazy.map(\.url)).count
  }

  /// Gives downloads that cannot be asked for back to the form, so that they can be mended, and says why.
  package mutating func refuse(_ downloads: [NewDownload], because text: String) {
    message = nil
    mode = .adding(AddForm(mending: downloads, folder: folder, because: text))
  }
}
