/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.posix;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A mount namespace for other processes, which {@code nsenter --mount} enters by its {@link #path}.
 * It exists until it is closed and its processes have ended. Thread-safe.
 *
 * <p>No thread of this process stays in it: a thread inherits the namespace of the thread that
 * creates it, so a process that is started from inside leaves its reaper thread there, and that
 * thread's children, for example carriers of virtual threads.
 */
public final class MountNamespace implements AutoCloseable {
  /** Mounts directories in the namespace; must create and wake no thread. */
  @FunctionalInterface
  public interface MountAction {
    void mount() throws IOException;
  }

  private static final String OF_THREAD = "/proc/thread-self/ns/mnt";
  private static final int O_CLOEXEC = 02000000;
  private static final long CLONE_NEWNS = 0x00020000;
  private static final long MS_RDONLY = 1;
  private static final long MS_NOSUID = 1 << 1;
  private static final long MS_NODEV = 1 << 2;
  private static final long MS_NOEXEC = 1 << 3;
  private static final long MS_REMOUNT = 1 << 5;
  private static final long MS_BIND = 1 << 12;
  private static final long MS_REC = 1 << 14;
  private static final long MS_SLAVE = 1 << 19;

  private final long fd;
  private final AtomicBoolean closed = new AtomicBoolean();

  private MountNamespace(long fd) {
    this.fd = fd;
  }

  /**
   * Creates a namespace with additional mounts, which only its processes see; mounts of others stay
   * visible in it. Not interruptible: the calls of the kernel are short.
   *
   * @throws IOException if the process lacks CAP_SYS_ADMIN, or a mount fails
   */
  public static MountNamespace create(MountAction mounts) throws IOException {
    FutureTask<MountNamespace> inside = new FutureTask<>(() -> enter(mounts));
    // Its end wakes a platform thread outside. Waking a virtual thread could create a carrier.
    FutureTask<MountNamespace> outside =
        new FutureTask<>(
            () -> {
              Thread.ofPlatform().daemon().name("mount-namespace").start(inside);
              return inside.get();
            });
    Thread.ofPlatform().daemon().name("mount-namespace-creator").start(outside);
    return await(outside);
  }

  private static MountNamespace enter(MountAction mounts) throws IOException {
    SyscallInvoker kernel = SyscallInvoker.mine();
    check(kernel.call(Syscall.UNSHARE, CLONE_NEWNS), "create a mount namespace for", "/");
    check(
        kernel.call(Syscall.MOUNT, 0, kernel.second("/"), 0, MS_REC | MS_SLAVE),
        "separate the mounts of",
        "/");
    mounts.mount();
    long fd =
        kernel.call(Syscall.OPENAT, FileHandle.AT_FDCWD, kernel.first(OF_THREAD), O_CLOEXEC, 0);
    check(fd, "open", OF_THREAD);
    return new MountNamespace(fd);
  }

  private static MountNamespace await(FutureTask<MountNamespace> task) throws IOException {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return task.get();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } catch (ExecutionException e) {
      Throwable cause =
          e.getCause() instanceof ExecutionException in ? in.getCause() : e.getCause();
      if (cause instanceof IOException io) {
        throw io;
      }
      throw new IllegalStateException("a mount namespace cannot be created", cause);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** The path by which other processes of this user enter the namespace while it is open. */
  public Path path() {
    return Path.of("/proc", Long.toString(ProcessHandle.current().pid()), "fd", Long.toString(fd));
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      SyscallInvoker.mine().call(Syscall.CLOSE, fd);
    }
  }

  /**
   * Mounts a directory, with all mounts in it, at the path of another directory. Only for {@link
   * MountAction}.
   *
   * @throws PosixException with the error number, also if one of them is missing
   */
  public static void bind(Path directory, Path at) throws IOException {
    SyscallInvoker kernel = SyscallInvoker.mine();
    long source = kernel.first(RawName.ofPath(directory));
    long target = kernel.second(RawName.ofPath(at));
    check(
        kernel.call(Syscall.MOUNT, source, target, 0, MS_BIND | MS_REC),
        "show " + directory + " at",
        at.toString());
  }

  /** Like {@link #bind}, but read-only: files in it cannot be changed or executed. */
  public static void bindReadOnly(Path directory, Path at) throws IOException {
    bind(directory, at);
    SyscallInvoker kernel = SyscallInvoker.mine();
    long flags = MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC;
    long target = kernel.second(RawName.ofPath(at));
    check(kernel.call(Syscall.MOUNT, 0, target, 0, flags), "protect", at.toString());
  }

  private static void check(long result, String doing, String path) throws PosixException {
    if (result < 0) {
      throw new PosixException(doing, path, (int) -result);
    }
  }
}
