/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.files;

import dev.baton.snapshot.format.Xattr;
import dev.baton.snapshot.scan.FileAttributeReader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Updates POSIX access lists in the kernel's attribute format ({@code linux/posix_acl_xattr.h}): a
 * version, then tag, permissions and user or group of each entry. Stateless.
 */
public final class AccessListUpdater {
  private static final int VERSION = 2;
  private static final int HEADER = 4;
  private static final int ENTRY = 8;
  private static final int OWNER = 0x01;
  private static final int GROUP = 0x04;
  private static final int MASK = 0x10;
  private static final int OTHERS = 0x20;

  private AccessListUpdater() {}

  /** Returns the attributes as they are after a chmod: the mode is a part of the access list. */
  public static List<Xattr> afterChmod(List<Xattr> xattrs, int mode) {
    return xattrs.stream()
        .map(each -> each.name().equals(FileAttributeReader.ACCESS_LIST) ? with(each, mode) : each)
        .toList();
  }

  private static Xattr with(Xattr list, int mode) {
    byte[] bytes = list.value().getBytes(StandardCharsets.ISO_8859_1);
    ByteBuffer entries = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    if (bytes.length < HEADER || entries.getInt(0) != VERSION) {
      return list;
    }
    boolean masked = false;
    for (int at = HEADER; at + ENTRY <= bytes.length; at += ENTRY) {
      masked |= entries.getShort(at) == MASK;
    }
    for (int at = HEADER; at + ENTRY <= bytes.length; at += ENTRY) {
      int tag = entries.getShort(at);
      int permissions = entries.getShort(at + 2);
      int now =
          switch (tag) {
            case OWNER -> mode >> 6 & 7;
            case GROUP -> masked ? permissions : mode >> 3 & 7;
            case MASK -> mode >> 3 & 7;
            case OTHERS -> mode & 7;
            default -> permissions;
          };
      entries.putShort(at + 2, (short) now);
    }
    return new Xattr(list.name(), new String(bytes, StandardCharsets.ISO_8859_1));
  }
}
