import DownloadCore
import Glibc

/// Looks whether files can be made in a folder, or the folder itself, and touches nothing.
enum FolderCheck {
  /// Nil when nothing speaks against it.
  static func problem(_ folder: String) -> DownloadError? {
    switch kind(folder) {
    case .folder: why(folder).map { .cannotCreate(path: folder, why: $0) }
    case .other: .cannotMakeFolder(path: folder, why: systemWords(ENOTDIR))
    case .missing: ancestorProblem(folder).map { .cannotMakeFolder(path: folder, why: $0) }
    }
  }

  /// What is at a path.
  private enum Kind { case folder, other, missing }

  /// Of the nearest parent that exists.
  private static func ancestorProblem(_ folder: String) -> String? {
    var steps = folder.split(separator: "/")
    while steps.popLast() != nil {
      let parent = "/" + steps.joined(separator: "/")
      switch kind(parent) {
      case .folder: return why(parent)
      case .other: return systemWords(ENOTDIR)
      case .missing: continue
      }
    }
    return nil
  }

  private static func kind(_ path: String) -> Kind {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return errno == ENOENT ? .missing : .other }
    return facts.st_mode & S_IFMT == S_IFDIR ? .folder : .other
  }

  private static func why(_ folder: String) -> String? {
    access(folder, W_OK | X_OK) == 0 ? nil : systemWords(errno)
  }
}
