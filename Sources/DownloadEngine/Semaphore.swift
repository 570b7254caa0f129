import Glibc

/// A POSIX semaphore (sem_overview(7)): one thread waits for what others tell.
final class Semaphore: @unchecked Sendable {
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() { sem_init(semaphore, 0, 0) }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func signal() { sem_post(semaphore) }
  func wait() { while sem_wait(semaphore) != 0, errno == EINTR {} }
}
