/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.milestone;

import dev.baton.milestone.git.GitClient;
import dev.baton.milestone.git.GitRepository;
import dev.baton.milestone.plan.MilestoneResumePlanner;
import dev.baton.milestone.plan.ResumePlan;
import dev.baton.milestone.sidecar.MilestoneSidecar;
import dev.baton.milestone.sidecar.SidecarStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A repository on disk, used through the git command as a person would. */
final class TestRepository {
  static final String RUN = "01jd0000000000000000000001";
  static final String OTHER = "01jd0000000000000000000002";
  static final Duration LIMIT = Duration.ofSeconds(30);
  static final Instant NOW = Instant.parse("2026-01-04T03:58:12.345678Z");
  static final Map<String, String> ENVIRONMENT =
      Map.of(
          "PATH",
          System.getenv("PATH"),
          "HOME",
          "/nonexistent",
          "GIT_CONFIG_GLOBAL",
          "/dev/null",
          "GIT_CONFIG_NOSYSTEM",
          "1");

  final Path root;

  private TestRepository(Path root) {
    this.root = root;
  }

  /** Creates a repository with one commit on {@code main}. */
  static TestRepository create(Path root) throws Exception {
    TestRepository created = bare(root);
    created.git("config", "user.name", "Ann");
    created.git("config", "user.email", "ann@example.org");
    created.write("README", "begun\n");
    created.git("add", "--all");
    created.git("commit", "--quiet", "--message", "Begin");
    return created;
  }

  /** Creates a repository without a commit and without a configured author. */
  static TestRepository bare(Path root) throws Exception {
    TestRepository created = new TestRepository(Files.createDirectories(root));
    created.git("init", "--quiet", "--initial-branch=main");
    return created;
  }

  String git(String... arguments) throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder("git").directory(root.toFile());
    builder.command().addAll(List.of(arguments));
    builder.environment().clear();
    builder.environment().putAll(ENVIRONMENT);
    builder.environment().put("GIT_EDITOR", "true");
    Process process = builder.redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
      throw new AssertionError("git " + List.of(arguments) + ": " + said);
    }
    return said.strip();
  }

  String head() throws IOException, InterruptedException {
    return git("rev-parse", "HEAD");
  }

  void write(String file, String text) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.resolveSibling("."));
    Files.writeString(path, text);
  }

  String commit(String file, String text, String message) throws IOException, InterruptedException {
    write(file, text);
    git("add", "--all");
    git("commit", "--quiet", "--message", message);
    return head();
  }

  SidecarStore sidecars() {
    return new SidecarStore(root, SidecarStore.Format.BATON);
  }

  /** Removes them as a clone does. */
  void removeSidecars() throws IOException {
    Path folder = root.resolve(".baton/checkpoints");
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
  }

  CommittedMilestone make(MilestoneCommitter.Request request) throws Exception {
    return new MilestoneCommitter(ENVIRONMENT, Clock.fixed(NOW, ZoneOffset.UTC))
        .make(root, request, LIMIT);
  }

  /** Creates a milestone that adds one file. */
  MilestoneSidecar milestone(int index) throws Exception {
    write("part-" + index, "the work of milestone " + index + "\n");
    return make(request(RUN, index)).sidecar();
  }

  static MilestoneCommitter.Request request(String run, int index) {
    return new MilestoneCommitter.Request(
        run, index, "Part " + index, "tier1", List.of("test -f part-" + index));
  }

  GitRepository open() {
    return new GitRepository(root, new GitClient(root, ENVIRONMENT, LIMIT));
  }

  ResumePlan plan() throws IOException, InterruptedException {
    return MilestoneResumePlanner.plan(open(), RUN);
  }

  /** Writes a sidecar as the earlier tool did. */
  void writeForeign(String folder, String sha, String run, int index) throws IOException {
    write(
        folder + "/checkpoints/" + sha + ".json",
        """
        {"schema_version": "1.0.0", "sha": "%s", "run_id": "%s", "milestone_index": %d,
         "milestone_title": "Implement getValidMoveTargets function",
         "created_at": "2026-01-04T03:58:12.345Z", "tier": "tier0",
         "verification_commands": ["npm install", "npm run lint"]}
        """
            .formatted(sha, run, index));
  }
}
