/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.github.luben.zstd.Zstd;
import dev.baton.snapshot.TreeSnapshotter;
import dev.baton.snapshot.posix.ProcessCredentials;
import dev.baton.snapshot.restore.RestoreOptions;
import dev.baton.snapshot.restore.ScratchDirectory;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Captures and restores random trees, {@code -Dbaton.trees=5000} of them, starting with {@code
 * -Dbaton.seed=…}.
 */
class RoundTripTest {
  private static final int TREES = Integer.getInteger("baton.trees", 20);
  private static final long SEED = Long.getLong("baton.seed", System.nanoTime());
  private static final int AT_ONCE = 40;
  private static final List<String> SPECIAL = List.of("special-*");
  private static final List<String> NOT_READABLE =
      List.of("special-*", "unreadable-*", "closed-*/**");

  @Test
  void shouldRestoreExactlyWhatWasCaptured() throws Exception {
    print("this user");
    for (int done = 0; done < TREES; done += AT_ONCE) {
      int count = Math.min(AT_ONCE, TREES - done);
      try (ScratchDirectory scratch = new ScratchDirectory()) {
        Path sources = Files.createDirectory(scratch.resolve("sources"));
        Path targets = Files.createDirectory(scratch.resolve("targets"));
        RoundTrips trips = new RoundTrips(sources, targets);
        List<String> leftOut = ProcessCredentials.isSuperuser() ? SPECIAL : NOT_READABLE;

        trips.start(SEED + done, count, RestoreOptions.defaults().keepingSetuid());
        String first = DirectoryComparator.of(scratch, "sources", "targets", leftOut, true);
        trips.change(RestoreOptions.defaults());
        String second = DirectoryComparator.of(scratch, "sources", "targets", leftOut, false);

        assertThat(first).isEmpty();
        assertThat(second).isEmpty();
      }
    }
  }

  /**
   * Permissions do not restrict the superuser, so a process of another user creates and captures
   * trees.
   */
  @Test
  void shouldRestoreExactlyWhatAnOrdinaryUserCaptured() throws Exception {
    assumeThat(ProcessCredentials.isSuperuser()).as("superuser").isTrue();
    assumeThat(Path.of("/usr/bin/setpriv")).as("setpriv of util-linux").exists();
    print("an ordinary user");
    int trees = TREES / 4 + 1;
    for (int done = 0; done < trees; done += AT_ONCE) {
      int count = Math.min(AT_ONCE, trees - done);
      try (ScratchDirectory scratch = new ScratchDirectory()) {
        assertThat(asAnotherUser(scratch, SEED + done, count)).containsExactly("", "");
      }
    }
  }

  /** Returns the findings of the two comparisons, and other output of the other user's process. */
  private static List<String> asAnotherUser(ScratchDirectory scratch, long seed, int count)
      throws IOException, InterruptedException {
    scratch.run(
        "chmod 755 . && mkdir sources targets tmp && chown 65534:65534 sources targets tmp");
    Process process =
        new ProcessBuilder(command(classPath(scratch), scratch, seed, count))
            .directory(scratch.path.toFile())
            .redirectErrorStream(true)
            .start();
    List<String> said = new ArrayList<>();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("compare")) {
          boolean setuid = line.endsWith("true");
          said.add(DirectoryComparator.of(scratch, "sources", "targets", NOT_READABLE, setuid));
          process.getOutputStream().write('\n');
          process.getOutputStream().flush();
        } else {
          said.add(line);
        }
      }
    }
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return said;
  }

  /** Checks the comparison itself: it must detect each kind of difference. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "touch -d '2020-01-01 00:00:00.000000001' b/f",
        "touch -h -d '2020-01-01 00:00:01' b/l",
        "chmod 600 b/f",
        "printf y > b/f; touch -d '2020-01-01' b/f",
        "rm b/g && cp -p b/f b/g && touch -d '2020-01-01' b",
        "mkdir b/d/new && touch -d '2020-01-01' b/d",
        "ln -sfn y b/l && touch -h -d '2020-01-01' b/l b"
      })
  void shouldSeeADifference(String change) throws Exception {
    try (ScratchDirectory scratch = new ScratchDirectory()) {
      scratch.run(
          """
          mkdir -p a/d && printf x > a/f && ln a/f a/g && ln -s x a/l
          touch -h -d '2020-01-01' a/f a/l a/d a && cp -a a b
          """);
      assertThat(DirectoryComparator.of(scratch, "a", "b", List.of(), true)).isEmpty();

      scratch.run(change);

      assertThat(DirectoryComparator.of(scratch, "a", "b", List.of(), true)).isNotEmpty();
    }
  }

  private static void print(String who) {
    System.out.printf("random trees of %s, -Dbaton.seed=%d%n", who, SEED);
    if (!DirectoryComparator.HAS_RSYNC) {
      System.out.println("no rsync: compared by find and sha256sum, without access lists");
    }
  }

  private static List<String> command(
      List<String> classPath, ScratchDirectory scratch, long seed, int count) {
    List<String> command = new ArrayList<>();
    command.addAll(List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx512m"));
    command.addAll(
        List.of(
            "--enable-native-access=ALL-UNNAMED", "-Djava.io.tmpdir=" + scratch.resolve("tmp")));
    command.addAll(
        List.of("-cp", String.join(":", classPath), RoundTripTest.class.getName() + "$Main"));
    command.addAll(List.of(Long.toString(seed), Integer.toString(count)));
    return command;
  }

  /** Copies the compiled classes to a folder that the other user may read. */
  private static List<String> classPath(ScratchDirectory scratch)
      throws IOException, InterruptedException {
    List<String> classPath = new ArrayList<>();
    for (Class<?> of :
        List.of(TreeSnapshotter.class, RoundTripTest.class, Zstd.class, Assertions.class)) {
      String from = of.getProtectionDomain().getCodeSource().getLocation().getPath();
      String to = "classes" + classPath.size();
      scratch.run("cp -r '%s' %s && chmod -R a+rX %s".formatted(from, to, to));
      classPath.add(to);
    }
    return classPath;
  }

  /** Runs as the other user. */
  static final class Main {
    private Main() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
      RoundTrips trips = new RoundTrips(Path.of("sources"), Path.of("targets"));
      trips.start(
          Long.parseLong(arguments[0]),
          Integer.parseInt(arguments[1]),
          RestoreOptions.defaults().keepingSetuid());
      compare(true);
      trips.change(RestoreOptions.defaults());
      compare(false);
    }

    private static void compare(boolean setuid) throws IOException {
      System.out.println("compare " + setuid);
      if (System.in.read() < 0) {
        throw new IOException("standard input is closed");
      }
    }
  }
}
