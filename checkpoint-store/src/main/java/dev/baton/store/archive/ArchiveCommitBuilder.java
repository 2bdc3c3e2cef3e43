/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.archive;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.store.config.StoreConfig;
import dev.baton.store.events.StoredEvent;
import dev.baton.store.events.StoredEventRepository;
import dev.baton.store.scheduling.Await;
import dev.baton.store.snapshot.RequiredCheckpoints;
import io.vertx.mutiny.sqlclient.Pool;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Collects the files for a commit of a run. Blocks. */
@ApplicationScoped
class ArchiveCommitBuilder {
  private static final ObjectWriter PRETTY =
      Json.mapper().writer().with(SerializationFeature.INDENT_OUTPUT);

  /**
   * @param position of the last event
   */
  record Gathered(
      RunManifest manifest, long position, SortedMap<String, ArchiveFileContent> files) {}

  private final StoredEventRepository log;
  private final RequiredCheckpoints needs;
  private final ForkOrigin.Table origins;
  private final ArchivedObjects.Source carrying;

  ArchiveCommitBuilder(
      StoredEventRepository log,
      RequiredCheckpoints needs,
      ForkOrigin.Table origins,
      Pool pool,
      ObjectCopier bytes,
      StoreConfig config) {
    this.log = log;
    this.needs = needs;
    this.origins = origins;
    carrying = new ArchivedObjects.Source(pool, bytes, config.archive().maxWorkspace());
  }

  /**
   * Collects the files; empty if the run's {@code run_created} is not stored.
   *
   * @param last the last commit, whose files need not be read again
   * @param trace the file to which the trace's lines are written
   */
  Optional<Gathered> gather(String run, GitRunStore.@Nullable Archived last, Path trace)
      throws IOException {
    RunSummary facts = write(run, trace);
    TraceEvent.RunCreated created = facts.created().orElse(null);
    if (created == null) {
      return Optional.empty();
    }
    SortedMap<String, ArchiveFileContent> files = new TreeMap<>();
    files.put(
        ArchivePaths.TRACE,
        new ArchiveFileContent.Stream(Files.size(trace), () -> Files.newInputStream(trace)));
    put(files, ArchivePaths.INPUT, facts.input());
    put(files, ArchivePaths.OUTPUT, facts.output());
    String definition = created.definition();
    if (definition != null) {
      // The original bytes, since the run's definition hash is computed from them.
      files.put(
          ArchivePaths.WORKFLOW,
          new ArchiveFileContent.Bytes(definition.getBytes(StandardCharsets.UTF_8)));
    }
    Optional<ForkOrigin> origin = origins.of(run);
    if (origin.isPresent()) {
      files.put(ArchivePaths.ORIGIN, json(origin.get()));
    }
    ArchivedObjects carried = carrying.of(run, created.project(), checkpoints(run), last);
    files.putAll(carried.files());
    RunManifest manifest =
        new RunManifest(
            RunManifest.SCHEMA,
            run,
            created.project(),
            created.workflow(),
            created.definitionHash(),
            created.kind(),
            facts.head().status().word(),
            created.labels(),
            created.createdAt(),
            facts.endedAt(),
            created.forkedFrom(),
            facts.head().epoch(),
            facts.events(),
            facts.last().orElseThrow().toString(),
            facts.head().completed(),
            facts.head().error(),
            carried.checkpoints(),
            carried.blobs(),
            carried.leftOut());
    files.put(ArchivePaths.MANIFEST, json(manifest));
    return Optional.of(new Gathered(manifest, facts.position(), files));
  }

  private RunSummary write(String run, Path trace) throws IOException {
    RunSummary facts = new RunSummary();
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(trace), 1 << 16)) {
      StoredEventRepository.Page page;
      do {
        page =
            Await.get(log.page(run, facts.position(), Long.MAX_VALUE, StoredEventRepository.PAGE));
        for (StoredEvent event : page.events()) {
          TraceLineCodec.write(event, out);
          facts.take(event);
        }
      } while (!page.last());
    }
    return facts;
  }

  /** The checkpoints from which the run would resume. */
  private Set<String> checkpoints(String run) {
    return switch (Await.get(needs.of(run))) {
      case RequiredCheckpoints.Need.Unknown none -> Set.of();
      case RequiredCheckpoints.Need.Alive alive -> alive.checkpoints();
      case RequiredCheckpoints.Need.Ended ended -> ended.checkpoints();
    };
  }

  private static void put(
      SortedMap<String, ArchiveFileContent> files, String name, @Nullable JsonNode value)
      throws IOException {
    if (value != null) {
      files.put(name, json(value));
    }
  }

  /** Indented, for people and for `git diff`. */
  private static ArchiveFileContent json(Object value) throws IOException {
    return new ArchiveFileContent.Bytes(
        (PRETTY.writeValueAsString(value) + "\n").getBytes(StandardCharsets.UTF_8));
  }
}
