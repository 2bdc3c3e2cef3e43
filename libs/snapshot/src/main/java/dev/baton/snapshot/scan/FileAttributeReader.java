/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.scan;

import dev.baton.snapshot.format.FileMetadata;
import dev.baton.snapshot.format.FileOwner;
import dev.baton.snapshot.format.Xattr;
import dev.baton.snapshot.posix.FileHandle;
import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.posix.PosixException;
import dev.baton.snapshot.posix.ProcessCredentials;
import dev.baton.snapshot.posix.StatBuffer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** Reads owners and extended attributes in the form that a snapshot stores. */
public final class FileAttributeReader {
  /** The attribute with a file's access list. */
  public static final String ACCESS_LIST = "system.posix_acl_access";

  /** The attribute with the access list that new files in a directory inherit. */
  public static final String DEFAULT_ACCESS_LIST = "system.posix_acl_default";

  private FileAttributeReader() {}

  /**
   * The extended attributes that can be stored.
   *
   * @param xattrs in the order of their names
   * @param lost why some are missing; null if none is
   */
  public record Kept(List<Xattr> xattrs, @Nullable String lost) {}

  /**
   * Reads the attributes in the order of their names; at most as many as {@link FileMetadata}
   * allows.
   */
  public static List<Xattr> of(FileHandle open) throws IOException {
    return kept(open.xattrs(FileAttributeReader::isWanted)).xattrs();
  }

  /**
   * Like {@link #of}, but reports unreadable attributes in the result.
   *
   * @throws PosixException only if memory, disk space or open files are exhausted
   */
  public static Kept read(FileHandle open) throws IOException {
    try {
      return kept(open.xattrs(FileAttributeReader::isWanted));
    } catch (PosixException e) {
      if (e.isExhausted()) {
        throw e;
      }
      return new Kept(List.of(), e.getMessage());
    }
  }

  /**
   * Returns the access lists of an unreadable child, which every user may read; empty if it is
   * missing.
   *
   * @throws PosixException only if memory, disk space or open files are exhausted
   */
  static List<Xattr> accessLists(OpenDirectory directory, String child) throws IOException {
    try {
      return kept(directory.xattrs(child, FileAttributeReader::isAccessList)).xattrs();
    } catch (PosixException e) {
      if (e.isExhausted()) {
        throw e;
      }
      return List.of();
    }
  }

  private static boolean isAccessList(String name) {
    return name.equals(ACCESS_LIST) || name.equals(DEFAULT_ACCESS_LIST);
  }

  /**
   * Accepts attributes in the user namespace and access lists. Attributes of security modules are
   * specific to the machine; only the superuser can set trusted ones.
   */
  static boolean isWanted(String name) {
    return name.startsWith("user.")
        || isAccessList(name)
        || (name.startsWith("trusted.") && ProcessCredentials.isSuperuser());
  }

  static Kept kept(SortedMap<String, byte[]> found) {
    if (found.isEmpty()) {
      return new Kept(List.of(), null);
    }
    List<Xattr> kept = new ArrayList<>();
    int bytes = 0;
    for (Map.Entry<String, byte[]> each : found.entrySet()) {
      int more = each.getKey().length() + each.getValue().length;
      if (kept.size() < FileMetadata.MAX_XATTRS && bytes + more <= FileMetadata.MAX_XATTR_BYTES) {
        kept.add(xattr(each));
        bytes += more;
      }
    }
    String lost =
        kept.size() == found.size()
            ? null
            : "%d of %d extended attributes not captured: at most %d with %d bytes in total"
                .formatted(
                    found.size() - kept.size(),
                    found.size(),
                    FileMetadata.MAX_XATTRS,
                    FileMetadata.MAX_XATTR_BYTES);
    return new Kept(kept, lost);
  }

  private static Xattr xattr(Map.Entry<String, byte[]> found) {
    return new Xattr(found.getKey(), new String(found.getValue(), StandardCharsets.ISO_8859_1));
  }

  /** Returns null for the owner of this process. */
  public static @Nullable FileOwner owner(StatBuffer stat) {
    return stat.uid == ProcessCredentials.effectiveUser()
            && stat.gid == ProcessCredentials.effectiveGroup()
        ? null
        : new FileOwner(Integer.toUnsignedLong(stat.uid), Integer.toUnsignedLong(stat.gid));
  }

  static DirectoryStat self(StatBuffer stat, List<Xattr> xattrs) {
    FileMetadata meta =
        new FileMetadata(
            stat.permissions(), stat.mtimeSeconds, stat.mtimeNanos, owner(stat), xattrs);
    return new DirectoryStat(meta, stat.ctimeSeconds, stat.ctimeNanos, stat.device, stat.inode);
  }
}
