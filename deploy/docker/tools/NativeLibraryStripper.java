/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Removes the native libraries of other platforms from the jars below a folder, and copies those of
 * the platform to another folder, under names without version: a container with a read-only root
 * cannot unpack them.
 *
 * <pre>java NativeLibraryStripper.java JARS NATIVE amd64|arm64</pre>
 *
 * Equal jars give equal results; jars without foreign libraries stay as they are.
 */
final class NativeLibraryStripper {
  private static final Pattern LIBRARY = Pattern.compile(".*\\.(so|dll|dylib|jnilib|a)");
  private static final Pattern VERSION = Pattern.compile("-[0-9]+(\\.[0-9]+)*(-[0-9]+)*\\.so$");

  // The time of all entries, so that the same jars give the same result.
  private static final LocalDateTime TIME = LocalDateTime.of(1980, 1, 1, 0, 0);

  private final Path natives;
  private final Pattern own;
  private long removed;

  private NativeLibraryStripper(Path natives, String platform) {
    this.natives = natives;
    own =
        switch (platform) {
          case "amd64" -> Pattern.compile(".*(amd64|x86[_-]64|linux64)(?!-musl).*");
          case "arm64" -> Pattern.compile(".*(aarch64|aarch_64|arm64)(?!-musl).*");
          default ->
              throw new IllegalArgumentException(
                  "platform '" + platform + "' is not known; allowed: amd64, arm64");
        };
  }

  public static void main(String[] args) throws IOException {
    if (args.length != 3) {
      System.err.println("usage: NativeLibraryStripper JARS NATIVE amd64|arm64");
      System.exit(64);
    }
    NativeLibraryStripper stripper = new NativeLibraryStripper(Path.of(args[1]), args[2]);
    Files.createDirectories(stripper.natives);
    try (Stream<Path> files = Files.walk(Path.of(args[0]))) {
      for (Path jar : files.filter(file -> file.toString().endsWith(".jar")).sorted().toList()) {
        stripper.strip(jar);
      }
    }
    System.out.printf(
        Locale.ROOT, "removed %.1f MB of other platforms' libraries%n", stripper.removed / 1e6);
  }

  private boolean isOwn(String name) {
    String path = name.toLowerCase(Locale.ROOT);
    return path.endsWith(".so")
        && path.contains("linux")
        && !path.contains("musl")
        && !path.contains("android")
        && own.matcher(path).matches();
  }

  private void strip(Path jar) throws IOException {
    Path fresh = jar.resolveSibling(jar.getFileName() + ".new");
    boolean changed = false;
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      List<? extends ZipEntry> entries = Collections.list(zip.entries());
      for (ZipEntry entry : entries) {
        if (LIBRARY.matcher(entry.getName()).matches()) {
          changed |= !isOwn(entry.getName());
          if (isOwn(entry.getName())) {
            copy(zip, entry);
          }
        }
      }
      if (changed) {
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(fresh))) {
          for (ZipEntry entry : entries) {
            write(zip, entry, out);
          }
        }
      }
    }
    if (changed) {
      long before = Files.size(jar);
      FileTime time = Files.getLastModifiedTime(jar);
      Files.move(fresh, jar, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
      Files.setLastModifiedTime(jar, time);
      removed += before - Files.size(jar);
    }
  }

  private void write(ZipFile zip, ZipEntry entry, ZipOutputStream out) throws IOException {
    if (LIBRARY.matcher(entry.getName()).matches() && !isOwn(entry.getName())) {
      return;
    }
    ZipEntry same = new ZipEntry(entry.getName());
    same.setTimeLocal(TIME);
    out.putNextEntry(same);
    try (InputStream in = zip.getInputStream(entry)) {
      in.transferTo(out);
    }
    out.closeEntry();
  }

  private void copy(ZipFile zip, ZipEntry entry) throws IOException {
    String file = entry.getName().substring(entry.getName().lastIndexOf('/') + 1);
    Path to = natives.resolve(VERSION.matcher(file).replaceFirst(".so"));
    try (InputStream in = zip.getInputStream(entry);
        OutputStream out = Files.newOutputStream(to)) {
      in.transferTo(out);
    }
    Files.setLastModifiedTime(to, FileTime.from(Instant.EPOCH));
  }
}
