/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.posix;

/** The attributes of one file; allocated once and filled repeatedly. Not thread-safe. */
public final class StatBuffer {
  /** All sixteen bits: type and permissions. */
  public int mode;

  /** In bytes. */
  public long size;

  /** Bytes allocated on disk: less than the size if the file has holes. */
  public long allocated;

  /** Seconds since 1970, negative before. */
  public long mtimeSeconds;

  /** 0..999,999,999, counted upwards also before 1970. */
  public int mtimeNanos;

  public long ctimeSeconds;
  public int ctimeNanos;
  public long device;
  public long inode;
  public int links;

  /** Unsigned. */
  public int uid;

  /** Unsigned. */
  public int gid;

  /** Never {@link FileKind#UNKNOWN}. */
  public FileKind kind() {
    return FileKind.ofMode(mode);
  }

  /** Returns the permissions with setuid, setgid and the sticky bit: 0..07777. */
  public int permissions() {
    return mode & 07777;
  }

  /**
   * Compares the attributes that a write would change: equal means the same file, very likely with
   * the same content.
   */
  public boolean sameContent(StatBuffer other) {
    return size == other.size
        && mtimeSeconds == other.mtimeSeconds
        && mtimeNanos == other.mtimeNanos
        && ctimeSeconds == other.ctimeSeconds
        && ctimeNanos == other.ctimeNanos
        && inode == other.inode
        && device == other.device;
  }

  void fill(SyscallInvoker kernel) {
    links = kernel.structInt(16);
    uid = kernel.structInt(20);
    gid = kernel.structInt(24);
    mode = kernel.structShort(28);
    inode = kernel.structLong(32);
    size = kernel.structLong(40);
    allocated = kernel.structLong(48) * 512;
    ctimeSeconds = kernel.structLong(96);
    ctimeNanos = kernel.structInt(104);
    mtimeSeconds = kernel.structLong(112);
    mtimeNanos = kernel.structInt(120);
    device = (long) kernel.structInt(136) << 32 | kernel.structInt(140) & 0xffffffffL;
  }
}
