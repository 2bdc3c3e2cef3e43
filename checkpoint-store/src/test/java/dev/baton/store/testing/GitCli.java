/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs the git command, as people do. */
public final class GitCli {
  private final Path folder;

  public GitCli(Path folder) {
    this.folder = folder;
  }

  public Path folder() {
    return folder;
  }

  /** Returns the output of the command; fails if the command fails. */
  public String run(String... words) {
    List<String> command = new ArrayList<>(List.of("git", "-C", folder.toString()));
    command.addAll(List.of(words));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("GIT_CONFIG_GLOBAL", "/dev/null");
    builder.environment().put("GIT_CONFIG_SYSTEM", "/dev/null");
    try {
      Process process = builder.start();
      process.getOutputStream().close();
      String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
        throw new AssertionError(command + ": " + out);
      }
      return out;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Returns a file of a run's newest commit. */
  public String show(String run, String path) {
    return run("show", "refs/baton/runs/" + run + ":" + path);
  }

  /** Returns the commit of a run's ref; empty if the ref does not exist. */
  public String commit(String run) {
    return run("for-each-ref", "--format=%(objectname)", "refs/baton/runs/" + run).strip();
  }
}
