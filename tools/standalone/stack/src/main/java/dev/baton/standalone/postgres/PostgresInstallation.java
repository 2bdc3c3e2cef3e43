/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.postgres;

import dev.baton.standalone.files.DirectoryTreeDeleter;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/**
 * The unpacked Postgres programs.
 *
 * @param home the folder with {@code bin}, {@code lib} and {@code share}
 */
public record PostgresInstallation(Path home) {

  private static final Map<String, String> MACHINES =
      Map.of("amd64", "x86_64", "x86_64", "x86_64", "aarch64", "arm_64", "arm64", "arm_64");

  /**
   * Unpacks them into {@code cache/postgres-VERSION} if missing. Several processes may do so
   * concurrently.
   *
   * @throws IOException when there are none for this machine, or they cannot be written
   */
  public static PostgresInstallation unpack(Path cache) throws IOException {
    Path home = cache.resolve("postgres-" + version());
    if (!Files.isDirectory(home)) {
      Files.createDirectories(cache);
      Path fresh = Files.createTempDirectory(cache, "postgres-unpacking-");
      try {
        extract(archive(), fresh);
        // All users must be able to read what one user has unpacked.
        Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("rwxr-xr-x"));
        move(fresh, home);
      } finally {
        DirectoryTreeDeleter.delete(fresh);
      }
    }
    return new PostgresInstallation(home.toRealPath());
  }

  /** The path of one program: {@code postgres} or {@code initdb}. */
  public Path program(String name) {
    return home.resolve("bin").resolve(name);
  }

  private static void move(Path fresh, Path home) throws IOException {
    try {
      Files.move(fresh, home, StandardCopyOption.ATOMIC_MOVE);
    } catch (FileAlreadyExistsException | DirectoryNotEmptyException e) {
      // Another process was faster, with the same files.
      if (!Files.isExecutable(home.resolve("bin/postgres"))) {
        throw e;
      }
    }
  }

  private static String version() throws IOException {
    return properties("postgres.properties").getProperty("version");
  }

  /** Reads a file of this package. */
  static Properties properties(String file) throws IOException {
    try (InputStream in = PostgresInstallation.class.getResourceAsStream(file)) {
      if (in == null) {
        throw new IOException(file + " is missing from the jar");
      }
      Properties properties = new Properties();
      properties.load(in);
      return properties;
    }
  }

  private static InputStream archive() throws IOException {
    String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String machine = MACHINES.get(System.getProperty("os.arch"));
    InputStream in =
        os.equals("linux") && machine != null
            ? PostgresInstallation.class.getResourceAsStream("/postgres-linux-" + machine + ".txz")
            : null;
    if (in == null) {
      throw new IOException(
          "no embedded Postgres for %s on %s; there is one for Linux on amd64 and arm64"
              .formatted(os, System.getProperty("os.arch")));
    }
    return in;
  }

  private static void extract(InputStream archive, Path target) throws IOException {
    try (var tar =
        new TarArchiveInputStream(new XZInputStream(new BufferedInputStream(archive, 1 << 16)))) {
      for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        Path path = target.resolve(entry.getName()).normalize();
        if (!path.startsWith(target)) {
          throw new IOException("the archive has an entry outside of its root: " + entry.getName());
        }
        if (entry.isDirectory()) {
          Files.createDirectories(path);
        } else if (entry.isSymbolicLink()) {
          Files.createDirectories(path.getParent());
          Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
        } else {
          Files.createDirectories(path.getParent());
          Files.copy(tar, path);
          Files.setPosixFilePermissions(path, permissions(entry.getMode()));
        }
      }
    }
  }

  private static Set<PosixFilePermission> permissions(int mode) {
    return PosixFilePermissions.fromString((mode & 0100) == 0 ? "rw-r--r--" : "rwxr-xr-x");
  }
}
