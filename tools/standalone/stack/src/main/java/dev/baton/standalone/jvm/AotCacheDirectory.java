/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.jvm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;

/**
 * The folder of AOT caches: each has the classes of a program as loaded and linked by an earlier
 * run, which speeds up its start.
 *
 * <p>A cache is valid for one JDK, one set of jars and one set of flags; its file name contains
 * their digest, so a rebuilt program never uses an old cache. Caches are optional: if one is
 * missing or unusable, the program starts without it.
 */
public record AotCacheDirectory(Path folder) {

  private static final Duration KEEP = Duration.ofDays(14);

  /** The path of this program's cache, which may not exist. */
  public Path file(JvmProgram program, List<String> flags) throws IOException {
    StringBuilder identity = new StringBuilder(System.getProperty("java.vm.version")).append(flags);
    for (Path jar : program.jars()) {
      identity.append('\n').append(jar).append(' ').append(Files.size(jar));
      identity.append(' ').append(Files.getLastModifiedTime(jar).toMillis());
    }
    return folder.resolve(ofPlace(program) + digest(identity.toString(), 8) + ".aot");
  }

  /**
   * Whether a JVM has finished writing the cache. Until then its configuration, from which it is
   * assembled, is next to it: a killed JVM leaves both, and a cache that cannot be used.
   */
  public static boolean isComplete(Path cache) {
    return Files.exists(cache) && Files.notExists(configuration(cache));
  }

  /** Deletes the cache and what an interrupted JVM leaves behind. */
  public static void delete(Path cache) throws IOException {
    Files.deleteIfExists(cache);
    Files.deleteIfExists(configuration(cache));
  }

  private static Path configuration(Path cache) {
    return cache.resolveSibling(cache.getFileName() + ".config");
  }

  /** The common prefix of the file names of this program's caches, of all builds. */
  private static String ofPlace(JvmProgram program) {
    return program.name() + "-" + digest(program.jars().toString(), 4) + "-";
  }

  /** The flags to add to the command line. */
  List<String> flags(JvmProgram program, List<String> flags, AotMode mode) throws IOException {
    Path file = file(program, flags);
    return switch (mode) {
      case OFF -> List.of();
      // A missing file would cost more than it could save: the JVM then does not use its default
      // archive either.
      case USE -> isComplete(file) ? List.of("-XX:AOTCache=" + file) : List.of();
      case TRAIN -> {
        prepare(program, file);
        yield List.of("-XX:AOTCacheOutput=" + file, "-Xlog:aot=error");
      }
    };
  }

  private void prepare(JvmProgram program, Path file) throws IOException {
    Files.createDirectories(folder);
    // Up to 150 megabytes each. Deletes those of earlier builds at this location, and those of
    // other checkouts if they are old.
    Instant old = Instant.now().minus(KEEP);
    try (DirectoryStream<Path> earlier =
        Files.newDirectoryStream(folder, program.name() + "-*.aot*")) {
      for (Path path : earlier) {
        String name = path.getFileName().toString();
        boolean outdated =
            name.startsWith(ofPlace(program)) && !name.startsWith(file.getFileName().toString());
        if (outdated || isBefore(path, old)) {
          Files.deleteIfExists(path);
        }
      }
    }
  }

  private static boolean isBefore(Path path, Instant time) throws IOException {
    try {
      return Files.getLastModifiedTime(path).toInstant().isBefore(time);
    } catch (NoSuchFileException e) {
      // Another stack that also creates its caches was faster.
      return false;
    }
  }

  private static String digest(String identity, int bytes) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(identity.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK supports SHA-256", e);
    }
  }
}
