import CExpat
import DownloadCore

/// Metalink files read by Expat. Nothing in one leads to anything outside of it: a document type, and with it every entity, is refused.
package enum Expat {
  /// More than any Metalink needs: one of 131,072 pieces has 12 MiB.
  package static let longest = 16 << 20
  private static let deepest = 32
  /// Between namespace and name; no name can hold it.
  fileprivate static let separator: Character = "\n"

  /// - Throws: what is wrong with it, and where.
  package static func metalink(_ bytes: [UInt8]) throws(Metalink.Fault) -> Metalink {
    guard bytes.count <= longest else { throw Metalink.Fault(line: 1, why: "it is longer than \(longest >> 20) MiB") }
    guard let parser = XML_ParserCreateNS(nil, XML_Char(separator.asciiValue ?? 10)) else {
      throw Metalink.Fault(line: 1, why: "out of memory")
    }
    defer { XML_ParserFree(parser) }
    let reading = Reading(parser)
    XML_SetUserData(parser, Unmanaged.passUnretained(reading).toOpaque())
    XML_SetElementHandler(parser, beginElement, endElement)
    XML_SetCharacterDataHandler(parser, takeText)
    XML_SetStartDoctypeDeclHandler(parser, refuseDoctype)
    let status = withExtendedLifetime(reading) {
      bytes.withUnsafeBytes {
        XML_Parse(parser, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count), 1)
      }
    }
    if let fault = reading.fault { throw fault }
    guard status == XML_STATUS_OK else { throw reading.fault(words(XML_GetErrorCode(parser))) }
    return reading.reader.metalink
  }

  private static func words(_ code: XML_Error) -> String {
    XML_ErrorString(code).map { "it is no XML, \(String(cString: $0))" } ?? "it is no XML"
  }

  /// What the callbacks share.
  fileprivate final class Reading {
    var reader = MetalinkReader()
    private(set) var fault: Metalink.Fault?
    private let parser: XML_Parser
    private var depth = 0

    init(_ parser: XML_Parser) { self.parser = parser }

    func begin(_ fullName: String, _ attributes: [String: String]) {
      depth += 1
      guard depth <= deepest else { return stop(fault("its elements are nested too deep")) }
      let parts = fullName.split(separator: separator, maxSplits: 1).map(String.init)
      do throws(Metalink.Fault) {
        try reader.begin(
          parts.last ?? "", namespace: parts.count == 2 ? parts[0] : "", attributes, line: line)
      } catch {
        stop(error)
      }
    }

    func end() {
      depth -= 1
      if fault == nil { reader.end() }
    }

    func fault(_ why: String) -> Metalink.Fault { Metalink.Fault(line: line, why: why) }

    func stop(_ fault: Metalink.Fault) {
      self.fault = self.fault ?? fault
      XML_StopParser(parser, XML_Bool(0))
    }

    private var line: Int { Int(clamping: XML_GetCurrentLineNumber(parser)) }
  }
}

// Expat calls these with the `Reading` that it was given.

private func reading(_ data: UnsafeMutableRawPointer?) -> Expat.Reading? {
  data.map { Unmanaged<Expat.Reading>.fromOpaque($0).takeUnretainedValue() }
}

private func beginElement(
  _ data: UnsafeMutableRawPointer?, _ name: UnsafePointer<XML_Char>?,
  _ list: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
) {
  var attributes: [String: String] = [:]
  var rest = list
  while let pair = rest, let key = pair[0], let value = pair[1] {
    attributes[String(cString: key)] = String(cString: value)
    rest = pair + 2
  }
  reading(data)?.begin(name.map { String(cString: $0) } ?? "", attributes)
}

private func endElement(_ data: UnsafeMutableRawPointer?, _ name: UnsafePointer<XML_Char>?) { reading(data)?.end() }

private func takeText(_ data: UnsafeMutableRawPointer?, _ text: UnsafePointer<XML_Char>?, _ count: Int32) {
  guard let text, count > 0 else { return }
  let bytes = UnsafeRawBufferPointer(start: text, count: Int(count))
  reading(data)?.reader.take(String(decoding: bytes, as: UTF8.self))
}

private func refuseDoctype(
  _ data: UnsafeMutableRawPointer?, _: UnsafePointer<XML_Char>?, _: UnsafePointer<XML_Char>?,
  _: UnsafePointer<XML_Char>?, _: Int32
) {
  guard let reading = reading(data) else { return }
  reading.stop(reading.fault("a document type is not allowed in it"))
}
