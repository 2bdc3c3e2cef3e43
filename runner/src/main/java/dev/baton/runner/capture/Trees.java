/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Removes directories that a step may have left in any state. */
public final class Trees {
  private static final Set<PosixFilePermission> OPEN =
      EnumSet.of(
          PosixFilePermission.OWNER_READ,
          PosixFilePermission.OWNER_WRITE,
          PosixFilePermission.OWNER_EXECUTE);

  private static final Logger LOG = Logger.getLogger(Trees.class);
  private static final String DISCARDED = ".discarded-";

  private Trees() {}

  /** Follows no link; read-only directories are no obstacle. A root that is not there is fine. */
  public static void delete(Path root) throws IOException {
    if (Files.exists(root, LinkOption.NOFOLLOW_LINKS)) {
      Files.walkFileTree(root, new Delete());
    }
  }

  /**
   * Takes the tree out of the way at once and removes it in the background: the run need not wait
   * for files that nobody wants. What a killed process left of earlier ones goes too.
   */
  static void discard(Path root) throws IOException {
    Path folder = root.toAbsolutePath().getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      return;
    }
    if (Files.exists(root, LinkOption.NOFOLLOW_LINKS)) {
      Path aside = Files.createTempDirectory(folder, DISCARDED);
      Files.move(root, aside.resolve("tree"), StandardCopyOption.ATOMIC_MOVE);
    }
    Thread.ofPlatform().daemon().name("discard").start(() -> deleteDiscarded(folder));
  }

  private static void deleteDiscarded(Path folder) {
    try (DirectoryStream<Path> discarded = Files.newDirectoryStream(folder, DISCARDED + "*")) {
      for (Path path : discarded) {
        delete(path);
      }
    } catch (IOException | DirectoryIteratorException e) {
      // Two may be at it at once; what is left goes the next time.
      LOG.debugf("%s: %s", folder, e);
    }
  }

  private static final class Delete extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes)
        throws IOException {
      Files.setPosixFilePermissions(dir, OPEN);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.delete(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path dir, @Nullable IOException e)
        throws IOException {
      if (e != null) {
        throw e;
      }
      Files.delete(dir);
      return FileVisitResult.CONTINUE;
    }
  }
}
