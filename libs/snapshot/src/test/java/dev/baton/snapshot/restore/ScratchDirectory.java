/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import dev.baton.snapshot.files.DirectoryRemover;
import dev.baton.snapshot.posix.OpenDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A directory for one test, with system tools that run in it. */
public final class ScratchDirectory implements AutoCloseable {
  public final Path path;

  public ScratchDirectory() throws IOException {
    path = Files.createTempDirectory("baton-restore");
  }

  public Path resolve(String name) {
    return path.resolve(name);
  }

  /** Runs a shell script and returns its standard output, one char per byte. */
  public String run(String script) throws IOException, InterruptedException {
    return run(path, script);
  }

  /** Like {@link #run(String)}, in another directory. */
  public static String run(Path directory, String script) throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-ec", script)
            .directory(directory.toFile())
            .redirectErrorStream(true);
    builder.environment().put("LC_ALL", "C");
    Process process = builder.start();
    process.getOutputStream().close();
    String output =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
      throw new IOException(script + " failed: " + output);
    }
    return output;
  }

  /** Returns the names in it, sorted. */
  public List<String> names() throws IOException {
    try (OpenDirectory open = OpenDirectory.open(path)) {
      return open.list().stream().map(named -> named.name()).sorted().toList();
    }
  }

  @Override
  public void close() throws IOException {
    try (OpenDirectory parent = OpenDirectory.open(path.resolve(".."))) {
      List<String> left = DirectoryRemover.remove(parent, path.getFileName().toString());
      if (!left.isEmpty()) {
        throw new IOException("left behind: " + left);
      }
    }
  }
}
