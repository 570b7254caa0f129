import Testing

@testable import DownloadEngine

struct DateTests {
  @Test func whatWasAskedOnceIsToldAgain() {
    var dates = CurlDates()
    for _ in 0..<2 {
      #expect(dates.seconds("Wed, 03 Jan 2024 00:02:00 GMT") == 1_704_240_120)
      #expect(dates.seconds("Wednesday, 03-Jan-24 00:02:00 GMT") == 1_704_240_120)
      #expect(dates.seconds("some day") == nil)
    }
  }

  @Test func moreThanCanBeRememberedAreReadAllTheSame() {
    var dates = CurlDates()
    for _ in 0..<2 {
      for minute in 10..<60 {
        for hour in 10..<13 {
          let seconds = dates.seconds("Wed, 03 Jan 2024 \(hour):\(minute):00 GMT")
          #expect(seconds == 1_704_240_000 + Int64(hour * 60 + minute) * 60)
        }
      }
    }
    let long = "Wed, 03 Jan 2024 00:02:00 GMT" + String(repeating: " ", count: 100)
    #expect(dates.seconds(long) == 1_704_240_120)
  }
}
