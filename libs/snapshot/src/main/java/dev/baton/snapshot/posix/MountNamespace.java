/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.posix;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Gives the calling thread its own mount namespace, which the processes that it starts inherit.
 * Only for platform threads that end soon after: a thread cannot leave its namespace.
 */
public final class MountNamespace {
  private static final long CLONE_NEWNS = 0x00020000;
  private static final long MS_RDONLY = 1;
  private static final long MS_NOSUID = 1 << 1;
  private static final long MS_NODEV = 1 << 2;
  private static final long MS_NOEXEC = 1 << 3;
  private static final long MS_REMOUNT = 1 << 5;
  private static final long MS_BIND = 1 << 12;
  private static final long MS_REC = 1 << 14;
  private static final long MS_SLAVE = 1 << 19;

  private MountNamespace() {}

  /**
   * Creates a mount namespace for the thread: its mounts are visible only to it and its children;
   * mounts of others stay visible to it.
   *
   * @throws IOException if the process lacks CAP_SYS_ADMIN
   * @throws IllegalStateException on a virtual thread
   */
  public static void enter() throws IOException {
    if (Thread.currentThread().isVirtual()) {
      throw new IllegalStateException("a virtual thread cannot have its own mount namespace");
    }
    SyscallInvoker kernel = SyscallInvoker.mine();
    check(kernel.call(Syscall.UNSHARE, CLONE_NEWNS), "create a mount namespace for", "/");
    check(
        kernel.call(Syscall.MOUNT, 0, kernel.second("/"), 0, MS_REC | MS_SLAVE),
        "separate the mounts of",
        "/");
  }

  /**
   * Mounts a directory, with all mounts in it, at the path of another directory.
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
