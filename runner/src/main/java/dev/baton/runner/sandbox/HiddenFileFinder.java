/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.sandbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Finds what sandboxes must not show although it is in a folder that they show: files of the system
 * that not every user may read, and the files with credentials that the settings of the runner
 * name.
 */
final class HiddenFileFinder {
  private static final int MAX_DEPTH = 6;

  /** A certificate that every client may see; programs of a step need it. */
  private static final String PUBLIC = "BATON_TLS_TRUST";

  private static final String SOURCES = "BATON_SECRETS_SOURCES";
  private static final String FILE = "file:";
  private static final String BELOW = "/**";

  private HiddenFileFinder() {}

  /**
   * Returns the files and folders below a folder that not every user may read, without following
   * links. Of a folder that is hidden the files are not listed.
   */
  static Set<Path> unreadable(Path folder) {
    Set<Path> found = new TreeSet<>();
    if (!Files.isDirectory(folder)) {
      return found;
    }
    try {
      Files.walkFileTree(
          folder,
          EnumSet.noneOf(java.nio.file.FileVisitOption.class),
          MAX_DEPTH,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes)
                throws IOException {
              return hide(path, PosixFilePermission.OTHERS_EXECUTE)
                  ? FileVisitResult.SKIP_SUBTREE
                  : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path path, BasicFileAttributes attributes)
                throws IOException {
              if (!attributes.isSymbolicLink()) {
                hide(
                    path,
                    attributes.isDirectory()
                        ? PosixFilePermission.OTHERS_EXECUTE
                        : PosixFilePermission.OTHERS_READ);
              }
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path path, IOException e) {
              // Not readable by this user either, or gone.
              return FileVisitResult.CONTINUE;
            }

            private boolean hide(Path path, PosixFilePermission least) throws IOException {
              return !Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS).contains(least)
                  && found.add(path);
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list the files of " + folder, e);
    }
    return found;
  }

  /**
   * Returns the files that variables of Baton and Kafka name, such as keys and tokens, and the
   * folders with secrets of workflows.
   */
  static Set<Path> ofSettings(Map<String, String> environment) {
    Set<Path> found = new TreeSet<>();
    environment.forEach(
        (name, value) -> {
          if ((name.startsWith("BATON_") || name.startsWith("KAFKA_")) && !isShown(name)) {
            for (String part : value.split(",")) {
              named(name, part.strip()).ifPresent(found::add);
            }
          }
        });
    return found;
  }

  private static boolean isShown(String name) {
    return name.equals(PUBLIC) || name.startsWith("BATON_SANDBOX_");
  }

  private static Optional<Path> named(String name, String value) {
    String text = value.startsWith(FILE) ? value.substring(FILE.length()) : value;
    boolean below = name.equals(SOURCES) && text.endsWith(BELOW);
    String bare = below ? text.substring(0, text.length() - BELOW.length()) : text;
    if (!bare.startsWith("/") || bare.indexOf('\0') >= 0) {
      return Optional.empty();
    }
    Path path = Path.of(bare).normalize();
    return Optional.of(path).filter(it -> below || Files.isRegularFile(it));
  }
}
