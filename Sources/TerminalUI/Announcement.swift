/// What a terminal is told besides the picture.
package struct Announcement: Hashable, Sendable {
  /// Of the window; nil leaves it its own.
  package var title: String?
  /// For the taskbar.
  package var progress: Progress
  /// Said once: all is done.
  package var news: String?

  package init(title: String? = nil, progress: Progress, news: String? = nil) {
    self.title = title
    self.progress = progress
    self.news = news
  }

  package enum Progress: Hashable, Sendable {
    case none
    case unknown
    case percent(Int)
  }
}
