/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.scan;

import dev.baton.snapshot.format.Meta;
import dev.baton.snapshot.format.Owner;
import dev.baton.snapshot.format.Xattr;
import dev.baton.snapshot.posix.Handle;
import dev.baton.snapshot.posix.Posix;
import dev.baton.snapshot.posix.StatBuffer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** Owners and extended attributes as they go into a tree. */
public final class FileAttributes {
  /** More are not kept. */
  static final int MAX = 256;

  private FileAttributes() {}

  /** Of something open, in the order of their names; at most 256. */
  public static List<Xattr> of(Handle open) throws IOException {
    return kept(open.xattrs(FileAttributes::isWanted));
  }

  /**
   * The user's own and access lists; those of security modules belong to the machine. Trusted ones
   * can only be set by the superuser.
   */
  static boolean isWanted(String name) {
    return name.startsWith("user.")
        || name.equals("system.posix_acl_access")
        || name.equals("system.posix_acl_default")
        || (name.startsWith("trusted.") && Posix.isSuperuser());
  }

  static List<Xattr> kept(SortedMap<String, byte[]> found) {
    return found.isEmpty()
        ? List.of()
        : found.entrySet().stream().limit(MAX).map(FileAttributes::xattr).toList();
  }

  private static Xattr xattr(Map.Entry<String, byte[]> found) {
    return new Xattr(found.getKey(), new String(found.getValue(), StandardCharsets.ISO_8859_1));
  }

  /** Null where it is this process's own. */
  static @Nullable Owner owner(StatBuffer stat) {
    return stat.uid == Posix.effectiveUser() && stat.gid == Posix.effectiveGroup()
        ? null
        : new Owner(Integer.toUnsignedLong(stat.uid), Integer.toUnsignedLong(stat.gid));
  }

  static Self self(StatBuffer stat, List<Xattr> xattrs) {
    Meta meta =
        new Meta(stat.permissions(), stat.mtimeSeconds, stat.mtimeNanos, owner(stat), xattrs);
    return new Self(meta, stat.ctimeSeconds, stat.ctimeNanos, stat.device, stat.inode);
  }
}
