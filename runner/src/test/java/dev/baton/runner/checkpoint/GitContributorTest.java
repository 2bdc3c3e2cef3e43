/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.runner.process.WorkspaceMount;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Uses the real git. */
class GitContributorTest {
  @TempDir Path work;

  private ManifestDraft draft(CheckpointTrigger trigger) {
    return new ManifestDraft(trigger, work.resolve("repo"));
  }

  private Manifest.Git look(ManifestDraft draft) throws Exception {
    new GitContributor(System.getenv(), WorkspaceMount.NONE).contribute(draft);
    return Objects.requireNonNull(draft.git());
  }

  private void sh(String script) throws Exception {
    Path repo = Files.createDirectories(work.resolve("repo"));
    ProcessBuilder builder =
        new ProcessBuilder("sh", "-ec", script).directory(repo.toFile()).inheritIO();
    builder
        .environment()
        .putAll(
            Map.of(
                "GIT_AUTHOR_NAME", "a",
                "GIT_AUTHOR_EMAIL", "a@b",
                "GIT_COMMITTER_NAME", "a",
                "GIT_COMMITTER_EMAIL", "a@b",
                "GIT_CONFIG_GLOBAL", "/dev/null"));
    assertThat(builder.start().waitFor()).isZero();
  }

  @Test
  void shouldTellBranchHeadStashAndWhatIsNotCommitted() throws Exception {
    sh(
        """
        git init -q -b trunk; echo 1 > a; echo 1 > 'b c'; echo 1 > gone; git add .; git commit -qm one
        echo 2 > a; git stash -q; echo 3 > 'b c'; rm gone; echo new > 'new
        line'; echo staged > staged; git add staged; git rev-parse HEAD > ../head
        """);
    ManifestDraft draft = draft(CheckpointTrigger.MANUAL);

    Manifest.Git git = look(draft);

    assertThat(git.branch()).isEqualTo("trunk");
    assertThat(git.head()).isEqualTo(Files.readString(work.resolve("head")).strip());
    assertThat(git.hasStash()).isTrue();
    assertThat(git.dirty()).isTrue();
    assertThat(draft.uncommittedFiles())
        .containsExactlyInAnyOrder("b c", "gone", "new\nline", "staged");
  }

  @Test
  void shouldTellOfACleanOneAndOfOneWithoutACommit() throws Exception {
    sh("git init -q -b main");
    Manifest.Git empty = look(draft(CheckpointTrigger.MANUAL));
    assertThat(empty.head()).isNull();
    assertThat(empty.branch()).isEqualTo("main");
    assertThat(empty.dirty()).isFalse();

    sh("echo 1 > a; git add .; git commit -qm one; git checkout -q --detach");
    Manifest.Git detached = look(draft(CheckpointTrigger.MANUAL));
    assertThat(detached.branch()).isNull();
    assertThat(detached.head()).hasSize(40);
    assertThat(detached.dirty()).isFalse();
    assertThat(detached.hasStash()).isFalse();
  }

  @Test
  void shouldRunNeitherHooksNorWatchersAndWriteNothing() throws Exception {
    sh(
        """
        git init -q; echo 1 > a; git add .; git commit -qm one
        printf '#!/bin/sh\necho ran >> %s/ran\n' "$PWD/.." > ../evil; chmod +x ../evil
        git config core.fsmonitor "$PWD/../evil"; mkdir -p ../hooks
        cp ../evil ../hooks/post-index-change; git config core.hooksPath "$PWD/../hooks"
        rm -f ../ran; touch a; cksum < .git/index > ../index
        """);

    look(draft(CheckpointTrigger.MANUAL));

    assertThat(work.resolve("ran")).doesNotExist();
    sh("test \"$(cksum < .git/index)\" = \"$(cat ../index)\"");
  }

  @Test
  void shouldLookAtNothingAtTheEndOfAStepOrWithoutARepository() throws Exception {
    sh("git init -q");
    ManifestDraft step = draft(CheckpointTrigger.STEP);
    new GitContributor(System.getenv(), WorkspaceMount.NONE).contribute(step);
    assertThat(step.git()).isNull();

    ManifestDraft elsewhere = new ManifestDraft(CheckpointTrigger.MANUAL, work);
    new GitContributor(System.getenv(), WorkspaceMount.NONE).contribute(elsewhere);
    assertThat(elsewhere.git()).isNull();
  }

  @Test
  void shouldSayWhatGitSays() throws Exception {
    sh("git init -q; echo '[nonsense' > .git/config");

    assertThatThrownBy(() -> look(draft(CheckpointTrigger.MANUAL)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("128")
        .hasMessageContaining("config");
  }

  @Test
  void shouldFailWithoutGit() throws Exception {
    sh("git init -q");

    assertThatThrownBy(
            () ->
                new GitContributor(Map.of("PATH", "/nonexistent"), WorkspaceMount.NONE)
                    .contribute(draft(CheckpointTrigger.MANUAL)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("git");
  }

  @Test
  void shouldGiveUpOnAGitThatHangsAndKillWhatItStarted() throws Exception {
    sh("git init -q");
    Path bin = Files.createDirectories(work.resolve("bin"));
    Path pid = work.resolve("pid");
    Files.writeString(
        bin.resolve("git"), "#!/bin/sh\n/bin/sleep 300 & echo $! > " + pid + "\nwait\n");
    Files.setPosixFilePermissions(bin.resolve("git"), PosixFilePermissions.fromString("rwxr-xr-x"));
    long began = System.nanoTime();

    // The timeout is that of a shutdown, which is shorter.
    assertThatThrownBy(
            () ->
                new GitContributor(Map.of("PATH", bin.toString()), WorkspaceMount.NONE)
                    .contribute(draft(CheckpointTrigger.SHUTDOWN)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("took longer than 2000 ms");

    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(60));
    long child = Long.parseLong(Files.readString(pid).strip());
    assertThat(isRunning(child)).isFalse();
  }

  /** A killed process remains a zombie until its parent reaps it. */
  private static boolean isRunning(long pid) throws IOException {
    Path stat = Path.of("/proc/" + pid + "/stat");
    return Files.exists(stat) && !Files.readString(stat).contains(") Z ");
  }

  @Test
  void shouldReadAnyAmountInBoundedMemory() throws Exception {
    StringBuilder text = new StringBuilder("# branch.oid abc\0# branch.head main\0");
    for (int i = 0; i < 50_000; i++) {
      text.append("? some/file-").append(i).append('\0');
    }
    text.append("? ").append("x".repeat(100_000)).append('\0');

    GitStatus status =
        GitStatus.read(new ByteArrayInputStream(text.toString().getBytes(StandardCharsets.UTF_8)));

    assertThat(status.changes()).isEqualTo(50_001);
    assertThat(status.files()).hasSize(1_000).startsWith("some/file-0");
    assertThat(status.branch()).isEqualTo("main");
  }

  @Test
  void shouldReadEntriesThatAreNotMerged() throws Exception {
    String unmerged = "u UU N... 100644 100644 100644 100644 a b c both ways\0";

    GitStatus status =
        GitStatus.read(new ByteArrayInputStream(unmerged.getBytes(StandardCharsets.UTF_8)));

    assertThat(status.files()).containsExactly("both ways");
    assertThatThrownBy(
            () ->
                GitStatus.read(
                    new ByteArrayInputStream("1 .M odd\0".getBytes(StandardCharsets.UTF_8))))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("1 .M odd");
  }
}
