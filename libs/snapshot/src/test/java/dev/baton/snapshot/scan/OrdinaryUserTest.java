/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.scan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.baton.snapshot.ExcludePolicy;
import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.posix.ProcessCredentials;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Permissions do not restrict the superuser, so a process of another user scans the tree. */
class OrdinaryUserTest {
  private static final int NOBODY = 65_534;

  @TempDir Path temp;

  @Test
  void shouldRecordWhatItMayNotRead() throws Exception {
    Path root = Files.createDirectory(temp.resolve("root"));
    for (String name : List.of("closed", "listed", "entered", "open")) {
      Files.createDirectory(root.resolve(name));
      Files.writeString(root.resolve(name).resolve("inner"), name);
    }
    Files.writeString(root.resolve("secret"), "x");
    try (OpenDirectory directory = OpenDirectory.open(root)) {
      if (ProcessCredentials.isSuperuser()) {
        for (String name : List.of("closed", "listed", "entered", "open", "secret")) {
          directory.chown(name, NOBODY, NOBODY);
        }
      }
      directory.chmod("closed", 0);
      directory.chmod("listed", 0400);
      directory.chmod("entered", 0100);
      directory.chmod("secret", 0);
      try {
        assertThat(look(root))
            .containsExactly(
                "skipped closed UNREADABLE",
                "skipped entered UNREADABLE",
                "skipped listed/inner UNREADABLE",
                "to read 2",
                "node of root: true",
                "closed 0 with 0",
                "entered 100 with 0",
                "listed 400 with 0",
                "open with 1",
                "again the same closed: true",
                "again to read 1");
      } finally {
        for (String name : List.of("closed", "listed", "entered")) {
          directory.chmod(name, 0700);
        }
      }
    }
  }

  private List<String> look(Path root) throws IOException, InterruptedException {
    if (!ProcessCredentials.isSuperuser()) {
      return describe(root);
    }
    assumeThat(Path.of("/usr/bin/setpriv")).as("setpriv of util-linux").exists();
    for (Path at = root; at != null && !at.equals(Path.of("/tmp")); at = at.getParent()) {
      Files.setPosixFilePermissions(at, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    String user = Integer.toString(NOBODY);
    Process process =
        new ProcessBuilder(
                List.of(
                    "setpriv",
                    "--reuid=" + user,
                    "--regid=" + user,
                    "--clear-groups",
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "--enable-native-access=ALL-UNNAMED",
                    "-cp",
                    classPath(),
                    OrdinaryUserTest.class.getName() + "$Main",
                    root.toString()))
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(output).isZero();
    return output.lines().toList();
  }

  /** Copies the compiled classes to a folder that the other user may read. */
  private String classPath() throws IOException, InterruptedException {
    Path copy = Files.createDirectory(temp.resolve("classes"));
    for (Class<?> of : List.of(TreeScanner.class, OrdinaryUserTest.class)) {
      Path classes = Path.of(of.getProtectionDomain().getCodeSource().getLocation().getPath());
      Process cp =
          new ProcessBuilder("cp", "-r", classes + "/.", copy.toString()).inheritIO().start();
      assertThat(cp.waitFor()).isZero();
    }
    return copy.toString();
  }

  private static List<String> describe(Path root) throws IOException, InterruptedException {
    TreeScanner scanner = TreeScanner.leavingOut(ExcludePolicy.defaults());
    List<String> lines = new ArrayList<>();
    ScanResult result = scanner.scan(root, null);
    result.skipped().stream()
        .map(skipped -> "skipped " + skipped.path() + " " + skipped.reason())
        .sorted()
        .forEach(lines::add);
    lines.add("to read " + result.filesToRead());
    DirState state = result.root();
    new SealingTreeReader(true).capture(state, root);
    lines.add("node of root: " + (state.node() != null));
    for (String name : List.of("closed", "entered", "listed")) {
      DirState child = state.child(state.entries().find(name));
      lines.add("%s %o with %d".formatted(name, child.meta().mode(), child.size()));
    }
    lines.add("open with " + state.child(state.entries().find("open")).size());
    ScanResult again = scanner.scan(root, state);
    int closed = state.entries().find("closed");
    lines.add("again the same closed: " + (again.root().child(closed) == state.child(closed)));
    lines.add("again to read " + again.filesToRead());
    return lines;
  }

  /** Runs as the other user. */
  static final class Main {
    private Main() {}

    public static void main(String[] args) throws IOException, InterruptedException {
      describe(Path.of(args[0])).forEach(System.out::println);
    }
  }
}
