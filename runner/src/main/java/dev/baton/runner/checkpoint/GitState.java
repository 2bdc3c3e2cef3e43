/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.checkpoint;

import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.manifest.Trigger;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Where the workspace's repository is, as {@code git status} says. Not at the end of every step:
 * that would cost a look at every file once more.
 */
final class GitState implements Contributor {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int MOST_FILES = 1_000;
  private static final int MOST_BYTES = 16 << 20;

  /** Nothing that the repository's own settings could make it run. */
  private static final List<String> STATUS =
      List.of(
          "git",
          "-c",
          "core.fsmonitor=false",
          "-c",
          "core.untrackedCache=false",
          "status",
          "--porcelain=v2",
          "--branch",
          "--show-stash",
          "--no-renames",
          "-z");

  @Override
  public String name() {
    return "git";
  }

  @Override
  public void contribute(Draft draft) throws IOException, InterruptedException {
    if (draft.trigger() != Trigger.STEP
        && Files.exists(draft.workspace().resolve(".git"), LinkOption.NOFOLLOW_LINKS)) {
      read(status(draft.workspace()), draft);
    }
  }

  private static String status(Path directory) throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(STATUS)
            .directory(directory.toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.environment().put("GIT_OPTIONAL_LOCKS", "0");
    builder.environment().put("LC_ALL", "C");
    Process git = builder.start();
    try (InputStream out = git.getInputStream()) {
      CompletableFuture<byte[]> bytes = new CompletableFuture<>();
      Thread.ofVirtual()
          .start(
              () -> {
                try {
                  bytes.complete(out.readNBytes(MOST_BYTES));
                } catch (IOException e) {
                  bytes.completeExceptionally(e);
                }
              });
      String text =
          new String(bytes.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS), StandardCharsets.UTF_8);
      if (!git.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS) || git.exitValue() != 0) {
        throw new IOException("git status failed in " + directory);
      }
      return text;
    } catch (TimeoutException e) {
      throw new IOException("git status took longer than " + PATIENCE.toSeconds() + " s", e);
    } catch (ExecutionException e) {
      throw new IOException("the output of git status cannot be read", e.getCause());
    } finally {
      git.destroyForcibly();
    }
  }

  /** See "Porcelain Format Version 2" in git's own documentation. */
  private static void read(String status, Draft draft) {
    String branch = null;
    String head = null;
    boolean stash = false;
    long changes = 0;
    List<String> files = new ArrayList<>();
    for (String line : status.split("\0")) {
      if (line.startsWith("# branch.oid ")) {
        head = line.endsWith("(initial)") ? null : line.substring("# branch.oid ".length());
      } else if (line.startsWith("# branch.head ")) {
        branch = line.endsWith("(detached)") ? null : line.substring("# branch.head ".length());
      } else if (line.startsWith("# stash ")) {
        stash = true;
      } else if (!line.isEmpty() && !line.startsWith("#")) {
        changes++;
        if (files.size() < MOST_FILES) {
          files.add(path(line));
        }
      }
    }
    draft.git(new Manifest.Git(branch, head, stash, changes > 0), files);
  }

  /** Changed (1), unmerged (u) and untracked (?) entries have 8, 10 and 1 fields before it. */
  private static String path(String line) {
    int fields =
        switch (line.charAt(0)) {
          case '1' -> 8;
          case 'u' -> 10;
          default -> 1;
        };
    return line.split(" ", fields + 1)[fields];
  }
}
