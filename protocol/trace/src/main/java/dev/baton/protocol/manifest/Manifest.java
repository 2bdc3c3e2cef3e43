/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.manifest;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.digest.Digest;
import dev.baton.protocol.trace.RunId;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The manifest of a checkpoint. {@link ManifestCodec} reads and writes its JSON, keeps members
 * unknown to this version, and checks the checksum.
 *
 * @param version of the document: {@value #VERSION}
 * @param id a ULID in lower case
 * @param sessionId the run
 * @param git null where the workspace is not a repository
 * @param environment variables that are not secret
 * @param sessionState typed slices by name
 * @param agent the state of an agent at the same instant; null where the checkpoint has none
 * @param contributors the result of each part of the checkpoint, by the contributor's name
 * @param checksum of everything else; null before {@link ManifestCodec#write} has set it
 * @param others members unknown to this version
 */
public record Manifest(
    String version,
    String id,
    String sessionId,
    Instant createdAt,
    CheckpointTrigger trigger,
    Run run,
    Conversation conversation,
    Workspace workspace,
    @Nullable Git git,
    Metrics metrics,
    @Nullable Map<String, String> environment,
    @Nullable JsonNode sessionState,
    @Nullable Map<String, Contribution> contributors,
    @Nullable Agent agent,
    @Nullable String checksum,
    @JsonAnySetter @JsonAnyGetter @Nullable Map<String, JsonNode> others) {

  public static final String VERSION = "1.0";

  /**
   * @throws IllegalArgumentException that names what is wrong
   */
  public Manifest {
    if (!RunId.isValid(id)) {
      throw new IllegalArgumentException("id '" + id + "' is not a ULID in lower case");
    }
    RunId.check(sessionId);
    environment = environment == null ? Map.of() : Map.copyOf(environment);
    contributors = contributors == null ? Map.of() : Map.copyOf(contributors);
    others = others == null ? Map.of() : new LinkedHashMap<>(others);
  }

  /** Creates a manifest without the state of an agent. */
  public Manifest(
      String version,
      String id,
      String sessionId,
      Instant createdAt,
      CheckpointTrigger trigger,
      Run run,
      Conversation conversation,
      Workspace workspace,
      @Nullable Git git,
      Metrics metrics,
      @Nullable Map<String, String> environment,
      @Nullable JsonNode sessionState,
      @Nullable Map<String, Contribution> contributors,
      @Nullable String checksum,
      @Nullable Map<String, JsonNode> others) {
    this(
        version,
        id,
        sessionId,
        createdAt,
        trigger,
        run,
        conversation,
        workspace,
        git,
        metrics,
        environment,
        sessionState,
        contributors,
        null,
        checksum,
        others);
  }

  /**
   * The state of an agent: the files of its home that a resume needs.
   *
   * @param use as in the workflow
   * @param session the agent's own id; null where it has none
   * @param boundary number of the boundary in its process
   * @param digest of the tree of its files
   * @param format of the stored tree
   * @param packs all packs that contain its chunks; the workspace lists them too
   * @param background processes that the agent has left in the background; null for none
   */
  public record Agent(
      String use,
      @Nullable String session,
      int boundary,
      String digest,
      String format,
      long sizeBytes,
      long fileCount,
      List<Pack> packs,
      @Nullable List<BackgroundProcess> background) {
    public Agent {
      Digest.check(digest);
      packs = packs == null ? List.of() : List.copyOf(packs);
      background = background == null ? null : List.copyOf(background);
    }
  }

  /**
   * A process in the background.
   *
   * @param command its words, joined by spaces, without secrets, shortened
   * @param folder its working folder: relative to the workspace if it is in it, else absolute
   * @param startedAt null where unknown
   */
  public record BackgroundProcess(String command, String folder, @Nullable Instant startedAt) {}

  /**
   * The run and step of the checkpoint.
   *
   * @param definitionHash null for an external run without a definition
   * @param step null for a checkpoint of the whole run
   * @param visit of the step; null with it
   */
  public record Run(
      String project,
      String workflow,
      @Nullable String definitionHash,
      int epoch,
      @Nullable String step,
      @Nullable Integer visit) {}

  /** The state of the agent's conversation. */
  public record Conversation(
      int turnCount, @Nullable String lastMessageId, long tokensUsed, boolean hasResumeToken) {
    public static final Conversation NONE = new Conversation(0, null, 0, false);
  }

  /**
   * The files.
   *
   * @param path of the archive in the portable form
   * @param sizeBytes sum of the file sizes
   * @param uncommittedFiles of the repository; at most 1,000
   * @param digest of the tree
   * @param format of the stored tree: {@value #TREE}
   * @param storedBytes bytes that were not stored before
   * @param packs all packs that contain its chunks
   * @param skipped paths that could not be captured; the first 1,000
   * @param skippedCount number of all skipped paths
   * @param leftOut paths excluded from cuts, which are missing here; null for none
   * @param seenAt the absolute path of the workspace as steps saw it, which they may have written
   *     into files; null where unknown
   */
  public record Workspace(
      String path,
      long sizeBytes,
      long fileCount,
      List<String> uncommittedFiles,
      String digest,
      String format,
      long storedBytes,
      List<Pack> packs,
      List<Skipped> skipped,
      long skippedCount,
      @Nullable List<String> leftOut,
      @Nullable String seenAt) {
    public static final String PATH = "workspace.tar.zst";
    public static final String TREE = "baton-tree-2";

    public Workspace {
      Digest.check(digest);
      uncommittedFiles = orEmpty(uncommittedFiles);
      packs = orEmpty(packs);
      skipped = orEmpty(skipped);
      leftOut = leftOut == null ? null : List.copyOf(leftOut);
    }

    /** Creates a workspace without excluded paths and with an unknown original path. */
    public Workspace(
        String path,
        long sizeBytes,
        long fileCount,
        List<String> uncommittedFiles,
        String digest,
        String format,
        long storedBytes,
        List<Pack> packs,
        List<Skipped> skipped,
        long skippedCount) {
      this(
          path,
          sizeBytes,
          fileCount,
          uncommittedFiles,
          digest,
          format,
          storedBytes,
          packs,
          skipped,
          skippedCount,
          null,
          null);
    }

    private static <T> List<T> orEmpty(@Nullable List<T> list) {
      return list == null ? List.of() : List.copyOf(list);
    }
  }

  /**
   * An object that contains chunks.
   *
   * @param digest of its bytes
   * @param indexBytes of index and trailer at its end
   */
  public record Pack(String digest, long sizeBytes, int indexBytes) {
    public Pack {
      Digest.check(digest);
      if (sizeBytes < 1 || indexBytes < 1 || indexBytes > sizeBytes) {
        throw new IllegalArgumentException(
            "pack %s has size_bytes %d and index_bytes %d: both must be at least 1, and index_bytes at most size_bytes"
                .formatted(digest, sizeBytes, indexBytes));
      }
    }
  }

  /**
   * A path that is not in the checkpoint.
   *
   * @param path from the workspace's root
   * @param reason one word, for programs
   */
  public record Skipped(String path, String reason, @Nullable String detail) {}

  /**
   * @param branch null when detached
   * @param head null before the first commit
   */
  public record Git(
      @Nullable String branch, @Nullable String head, boolean hasStash, boolean dirty) {}

  /** The cost of the run up to this point. */
  public record Metrics(double costEstimateUsd, List<String> toolsInvoked, long filesModified) {
    public static final Metrics NONE = new Metrics(0, List.of(), 0);

    public Metrics {
      toolsInvoked = toolsInvoked == null ? List.of() : List.copyOf(toolsInvoked);
    }
  }

  /**
   * The result of one part.
   *
   * @param status {@code ok} or {@code failed}
   * @param error null when ok
   * @param counts of what it contains, by the plural noun of the counted: {@code messages} of a
   *     conversation, {@code windows} and {@code panes} of a screen; null where nothing is counted
   */
  public record Contribution(
      String status, @Nullable String error, @Nullable Map<String, Integer> counts) {
    public static final Contribution OK = new Contribution("ok", null, null);

    public Contribution {
      counts = counts == null ? null : Map.copyOf(counts);
    }

    public static Contribution failed(String error) {
      return new Contribution("failed", error, null);
    }

    /** Returns the result of a part whose contents are counted. */
    public static Contribution of(Map<String, Integer> counts) {
      return new Contribution("ok", null, counts);
    }
  }
}
