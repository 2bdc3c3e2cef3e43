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
import dev.baton.store.background.Waits;
import dev.baton.store.config.StoreConfig;
import dev.baton.store.events.EventLog;
import dev.baton.store.events.StoredEvent;
import dev.baton.store.snapshot.Needs;
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

/** Brings together what a commit of a run is to hold. Blocks. */
@ApplicationScoped
class Gathering {
  private static final ObjectWriter PRETTY =
      Json.mapper().writer().with(SerializationFeature.INDENT_OUTPUT);

  /**
   * @param position of the last event
   */
  record Gathered(RunManifest manifest, long position, SortedMap<String, Content> files) {}

  private final EventLog log;
  private final Needs needs;
  private final Origin.Table origins;
  private final Carrying.Source carrying;

  Gathering(
      EventLog log, Needs needs, Origin.Table origins, Pool pool, Bytes bytes, StoreConfig config) {
    this.log = log;
    this.needs = needs;
    this.origins = origins;
    carrying = new Carrying.Source(pool, bytes, config.archive().maxWorkspace());
  }

  /**
   * Empty for a run without a beginning.
   *
   * @param last whose files need not be read again
   * @param trace where the lines go
   */
  Optional<Gathered> gather(String run, GitRuns.@Nullable Archived last, Path trace)
      throws IOException {
    Facts facts = write(run, trace);
    TraceEvent.RunCreated created = facts.created().orElse(null);
    if (created == null) {
      return Optional.empty();
    }
    SortedMap<String, Content> files = new TreeMap<>();
    files.put(
        Names.TRACE, new Content.Stream(Files.size(trace), () -> Files.newInputStream(trace)));
    put(files, Names.INPUT, facts.input());
    put(files, Names.OUTPUT, facts.output());
    String definition = created.definition();
    if (definition != null) {
      // As it is: the run's definition hash is that of these bytes.
      files.put(Names.WORKFLOW, new Content.Bytes(definition.getBytes(StandardCharsets.UTF_8)));
    }
    Optional<Origin> origin = origins.of(run);
    if (origin.isPresent()) {
      files.put(Names.ORIGIN, json(origin.get()));
    }
    Carrying carried = carrying.of(run, created.project(), checkpoints(run), last);
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
    files.put(Names.MANIFEST, json(manifest));
    return Optional.of(new Gathered(manifest, facts.position(), files));
  }

  private Facts write(String run, Path trace) throws IOException {
    Facts facts = new Facts();
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(trace), 1 << 16)) {
      EventLog.Page page;
      do {
        page = Waits.get(log.page(run, facts.position(), Long.MAX_VALUE, EventLog.PAGE));
        for (StoredEvent event : page.events()) {
          TraceLines.write(event, out);
          facts.take(event);
        }
      } while (!page.last());
    }
    return facts;
  }

  /** From which the run goes on, if it does. */
  private Set<String> checkpoints(String run) {
    return switch (Waits.get(needs.of(run))) {
      case Needs.Need.Unknown none -> Set.of();
      case Needs.Need.Alive alive -> alive.checkpoints();
      case Needs.Need.Ended ended -> ended.checkpoints();
    };
  }

  private static void put(SortedMap<String, Content> files, String name, @Nullable JsonNode value)
      throws IOException {
    if (value != null) {
      files.put(name, json(value));
    }
  }

  /** For people too, and for `git diff`. */
  private static Content json(Object value) throws IOException {
    return new Content.Bytes(
        (PRETTY.writeValueAsString(value) + "\n").getBytes(StandardCharsets.UTF_8));
  }
}
