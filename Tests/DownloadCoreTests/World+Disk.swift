@testable import DownloadCore

extension World {
  /// An answer of the disk, which may be full at any moment.
  private mutating func orFull<Value>(_ value: Value) -> Result<Value, DownloadError> {
    chance(faults.diskFull) ? .failure(.diskFull(path: "/d")) : .success(value)
  }

  mutating func find(_ id: PartID, _ wanted: FindPart) {
    let described = disk.sidecars.sorted { $0.key < $1.key }
    let name =
      wanted.partName
      ?? described.first { wanted.urls.contains($0.value.request.url) && !$0.key.hasSuffix(".old") }?.key
    guard let name, let sidecar = disk.sidecars[name], sidecar.fault == nil, !open.values.contains(name) else {
      return answers.append(.found(id, .success(.nothing(warning: nil))))
    }
    if chance(faults.rot) { return answers.append(.found(id, .success(.nothing(warning: "it cannot be read")))) }
    open[id] = name
    var done = verified(name, sidecar.doneRanges)
    if chance(faults.rot), let lost = done.ranges.randomElement(using: &random) { done.remove(lost) }
    answers.append(.found(id, .success(.leftover(partName: name, sidecar, done: done))))
  }

  /// What has not been overwritten since.
  private func verified(_ name: String, _ claimed: ByteRangeSet) -> ByteRangeSet {
    var done = claimed
    for (version, then) in disk.sums[name, default: [:]] {
      let now = disk.parts[name]?[version] ?? ByteRangeSet()
      for lost in then.subtracting(now.ranges).ranges { done.remove(lost) }
    }
    return done
  }

  mutating func create(_ id: PartID, _ wanted: CreatePart) {
    var number = 0
    while disk.parts[FileName.numbered(wanted.name, number) + ".part"] != nil { number += 1 }
    let partName = FileName.numbered(wanted.name, number) + ".part"
    let result = orFull(CreatedPart.open(partName: partName, name: wanted.name))
    if case .success = result {
      disk.parts[partName] = [:]
      open[id] = partName
    }
    answers.append(.created(id, result))
  }

  mutating func replace(_ id: PartID) {
    guard let name = open[id] else { return }
    move(name, to: name + ".old")
    disk.parts[name] = [:]
    answers.append(.replaced(id, orFull(name)))
  }

  mutating func save(_ id: PartID, _ sidecar: Sidecar) {
    guard let name = open[id] else { return }
    if chance(faults.saveFailure) {
      return answers.append(.saved(id, .cannotWrite(path: name, why: "input/output error")))
    }
    if case .failure(let error) = orFull(()) { return answers.append(.saved(id, error)) }
    // Told while the file got its name: what is written then is about that one, and no part is there to be described.
    guard disk.parts[name] != nil else { return answers.append(.saved(id, nil)) }
    disk.sidecars[name] = sidecar
    disk.sums[name] = disk.parts[name]
    answers.append(.saved(id, nil))
  }

  mutating func finish(_ id: PartID, _ wanted: FinishPart) {
    guard let name = open[id] else { return }
    if case .failure(let error) = orFull(()) { return answers.append(.finished(id, .failure(error))) }
    if chance(faults.mismatch) {
      return answers.append(.finished(id, .failure(.checksumMismatch(expected: "9f86", got: "2c26"))))
    }
    if let fault = fault(in: disk.parts[name] ?? [:], wanted) {
      return answers.append(.finished(id, .failure(fault)))
    }
    // A part that an older version made longer is cut.
    disk.finished[wanted.name] = disk.parts[name]?.mapValues { $0.clamped(to: wanted.total ?? .max) }
    delete(name)
    if !wanted.keepsOld { delete(name + ".old") }
    answers.append(.finished(id, .success(FinishedFile(name: wanted.name, verification: wanted.verification))))
  }

  /// What sums say, where they are given: they are those of version 1.
  private func fault(in versions: [Int: ByteRangeSet], _ wanted: FinishPart) -> DownloadError? {
    let right = versions[1] ?? ByteRangeSet()
    if let pieces = wanted.pieces, let total = wanted.total {
      let wrong = pieces.sums.indices.filter { !right.contains(pieces.range(of: $0, total: total) ?? 0..<0) }
      let together = ByteRangeSet(wrong.map { Int64($0)..<Int64($0) + 1 }).ranges.map {
        Int($0.lowerBound)..<Int($0.upperBound)
      }
      if !together.isEmpty { return .wrongPieces(together, of: pieces.sums.count) }
    }
    guard wanted.checksum != nil, !right.contains(0..<(wanted.total ?? 0)) else { return nil }
    return .checksumMismatch(expected: "1", got: "2")
  }

  mutating func discard(_ id: PartID, restoringOld: Bool) {
    guard let name = open.removeValue(forKey: id) else { return }
    delete(name)
    if restoringOld, disk.parts[name + ".old"] != nil { move(name + ".old", to: name) } else { delete(name + ".old") }
  }

  private mutating func move(_ old: String, to new: String) {
    disk.parts[new] = disk.parts.removeValue(forKey: old)
    disk.sidecars[new] = disk.sidecars.removeValue(forKey: old)
    disk.sums[new] = disk.sums.removeValue(forKey: old)
  }

  mutating func delete(_ name: String) {
    disk.parts[name] = nil
    disk.sidecars[name] = nil
    disk.sums[name] = nil
  }

  mutating func write(_ range: ByteRange, version: Int, to part: String) {
    for old in disk.parts[part]?.keys.filter({ $0 != version }) ?? [] { disk.parts[part]?[old]?.remove(range) }
    disk.parts[part]?[version, default: ByteRangeSet()].insert(range)
  }
}

extension ByteRangeSet {
  fileprivate func clamped(to end: Int64) -> ByteRangeSet {
    var rest = self
    rest.remove(end..<Int64.max)
    return rest
  }
}
