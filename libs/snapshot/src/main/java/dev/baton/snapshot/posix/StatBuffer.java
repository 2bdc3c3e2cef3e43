/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.posix;

/** What the system says of one file; made once and filled again and again. Not thread-safe. */
public final class StatBuffer {
  /** All sixteen bits: type and permissions. */
  public int mode;

  /** In bytes. */
  public long size;

  /** In bytes too, of the disk: less than the size where there are holes. */
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

  /** Permissions with setuid, setgid and the sticky bit: 0..07777. */
  public int permissions() {
    return mode & 07777;
  }

  /** Same file, same bytes as far as one can see: what a writer would have changed is equal. */
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
