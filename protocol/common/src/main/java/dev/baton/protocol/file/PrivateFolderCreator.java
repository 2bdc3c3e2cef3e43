/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Stream;

/** Creates folders that only their owner enters, with any umask. */
public final class PrivateFolderCreator {
  private static final Set<PosixFilePermission> PRIVATE =
      PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> WRITE_OF_OTHERS =
      EnumSet.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);

  private static final Integer ROOT = 0;

  private PrivateFolderCreator() {}

  /**
   * Creates the folder for its owner only, and missing parents with the usual permissions. An
   * existing folder keeps its permissions, which may have been given on purpose.
   */
  public static Path create(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      Path parent = folder.toAbsolutePath().getParent();
      if (parent != null) {
        Files.createDirectories(parent);
      }
      Files.createDirectories(folder, PosixFilePermissions.asFileAttribute(PRIVATE));
    }
    return folder;
  }

  /**
   * Creates the folder for its owner only. An existing one loses the permissions of other users if
   * it is this user's: for folders that only Baton uses.
   */
  public static Path createOrRestrict(Path folder) throws IOException {
    create(folder);
    if (!PRIVATE.containsAll(Files.getPosixFilePermissions(folder)) && isOwn(folder)) {
      Files.setPosixFilePermissions(folder, PRIVATE);
    }
    return folder;
  }

  /**
   * Requires that no other user but root can change what is in the folder: takes the permission to
   * write from other users if it is this user's folder.
   *
   * @throws IOException when the folder, or a file or folder in it, is another user's; names it
   */
  public static void requireTrusted(Path folder) throws IOException {
    requireOwner(folder);
    Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(folder);
    if (permissions.removeAll(WRITE_OF_OTHERS)) {
      Files.setPosixFilePermissions(folder, permissions);
    }
    try (Stream<Path> entries = Files.list(folder)) {
      for (Path entry : entries.toList()) {
        requireOwner(entry);
      }
    }
  }

  private static void requireOwner(Path path) throws IOException {
    UserPrincipal owner = Files.getOwner(path, LinkOption.NOFOLLOW_LINKS);
    if (!isOwn(path)
        && !ROOT.equals(Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS))) {
      throw new IOException(
          "%s belongs to '%s', who can replace what is in it: remove it, or use another folder"
              .formatted(path, owner.getName()));
    }
  }

  private static boolean isOwn(Path path) throws IOException {
    return String.valueOf(Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS))
        .equals(effectiveUser());
  }

  /** Returns the number of the user as which this process creates files. */
  private static String effectiveUser() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
        .filter(line -> line.startsWith("Uid:"))
        .map(line -> line.split("\\s+")[2])
        .findFirst()
        .orElseThrow(() -> new IOException("/proc/self/status has no 'Uid'"));
  }
}
