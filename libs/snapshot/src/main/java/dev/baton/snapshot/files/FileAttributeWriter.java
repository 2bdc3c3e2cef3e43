/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.files;

import dev.baton.snapshot.format.FileMetadata;
import dev.baton.snapshot.format.FileOwner;
import dev.baton.snapshot.format.Xattr;
import dev.baton.snapshot.posix.FileHandle;
import dev.baton.snapshot.posix.ProcessCredentials;
import dev.baton.snapshot.posix.StatBuffer;
import dev.baton.snapshot.scan.FileAttributeReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Sets the metadata of files and directories. Thread-safe. */
public final class FileAttributeWriter {
  private FileAttributeWriter() {}

  /**
   * Sets owner and extended attributes of a new file; the caller then sets the mode.
   *
   * @param lost receives what could not be set, as readable text
   * @return the mode to set: without special bits if the owner of a file could not be set
   */
  public static int set(FileHandle open, FileMetadata meta, int mode, Consumer<String> lost) {
    FileOwner owner = meta.owner();
    int allowed = mode;
    if (owner != null && !setOwner(open, owner, lost)) {
      allowed = mode & 01777;
    }
    // In reverse order: "system.posix_acl_access" may remove the right to set attributes of the
    // user, which come after it by name.
    for (Xattr xattr : meta.xattrs().reversed()) {
      setXattr(open, xattr, lost);
    }
    return allowed;
  }

  private static boolean setOwner(FileHandle open, FileOwner owner, Consumer<String> lost) {
    if (owner.uid() == Integer.toUnsignedLong(ProcessCredentials.effectiveUser())
        && owner.gid() == Integer.toUnsignedLong(ProcessCredentials.effectiveGroup())) {
      return true;
    }
    if (!ProcessCredentials.isSuperuser()) {
      lost.accept("owner %d:%d needs the superuser's rights".formatted(owner.uid(), owner.gid()));
      return false;
    }
    try {
      open.chown((int) owner.uid(), (int) owner.gid());
      return true;
    } catch (IOException e) {
      lost.accept(String.valueOf(e.getMessage()));
      return false;
    }
  }

  private static void setXattr(FileHandle open, Xattr xattr, Consumer<String> lost) {
    try {
      open.setXattr(xattr.name(), xattr.value().getBytes(StandardCharsets.ISO_8859_1));
    } catch (IOException | IllegalArgumentException e) {
      lost.accept(String.valueOf(e.getMessage()));
    }
  }

  /** Like {@link #set}, including mode and time. */
  public static void setAll(FileHandle open, FileMetadata meta, Consumer<String> lost)
      throws IOException {
    open.chmod(set(open, meta, meta.mode(), lost));
    open.setModified(meta.seconds(), meta.nanos());
  }

  /**
   * Like {@link #setAll}, for an existing file: also removes attributes that are not in {@code
   * meta}.
   */
  public static void replaceAll(FileHandle open, FileMetadata meta, Consumer<String> lost)
      throws IOException {
    StatBuffer stat = new StatBuffer();
    open.stat(stat);
    @Nullable FileOwner now = FileAttributeReader.owner(stat);
    if (now != null && meta.owner() == null && ProcessCredentials.isSuperuser()) {
      open.chown(ProcessCredentials.effectiveUser(), ProcessCredentials.effectiveGroup());
    }
    List<String> wanted = meta.xattrs().stream().map(Xattr::name).toList();
    for (Xattr xattr : FileAttributeReader.of(open)) {
      if (!wanted.contains(xattr.name())) {
        open.removeXattr(xattr.name());
      }
    }
    setAll(open, meta, lost);
  }

  /** Removes the default access list: files created in the directory inherit none. */
  public static void bequeathNothing(FileHandle directory) throws IOException {
    if (!directory.xattrs(FileAttributeReader.DEFAULT_ACCESS_LIST::equals).isEmpty()) {
      directory.removeXattr(FileAttributeReader.DEFAULT_ACCESS_LIST);
    }
  }
}
