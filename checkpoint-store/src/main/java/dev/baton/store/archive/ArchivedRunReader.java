/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.archive;

import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.RunId;
import dev.baton.store.failure.FailureTranslator;
import dev.baton.store.failure.StoreRequestException;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.eclipse.jgit.lib.ObjectId;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Lists the archived runs for people. Blocks. */
@ApplicationScoped
public class ArchivedRunReader {
  private static final Logger LOG = Logger.getLogger(ArchivedRunReader.class);

  /** Maximum number of runs in a page. */
  public static final int MOST = 1_000;

  /** The most manifests that are read for a page: those of other projects count, too. */
  private static final int MAX_READ = 10_000;

  /** The length of the time in an id. */
  private static final int TIME = 10;

  /** The end of the last id of a time, for a cursor that is not the id of a run. */
  private static final String LAST = "z".repeat(16);

  /**
   * @param manifest {@code manifest.json}; empty if it cannot be read
   */
  public record Entry(String run, String commit, Instant at, byte[] manifest) {}

  /**
   * @param next the cursor of the next page; null when no older runs follow
   */
  public record Page(List<Entry> runs, @Nullable String next) {
    public Page {
      runs = List.copyOf(runs);
    }
  }

  private final ArchiveLocation place;

  ArchivedRunReader(ArchiveLocation place) {
    this.place = place;
  }

  /**
   * Lists runs, newest first; none if no archive is configured.
   *
   * @param before only runs older than this id; empty to start with the newest
   * @param limit 1 to {@value #MOST}
   * @param projects those whose runs are listed; null for all
   * @throws StoreRequestException UNAVAILABLE if the archive cannot be read
   */
  public Page list(String before, int limit, @Nullable Collection<String> projects) {
    if (!place.isConfigured()) {
      return new Page(List.of(), null);
    }
    try (GitRunStore git = place.open()) {
      List<Entry> entries = new ArrayList<>();
      int read = 0;
      for (GitRunStore.Pointer pointer : git.runs()) {
        if (RunId.isValid(pointer.run())
            && (before.isEmpty() || pointer.run().compareTo(before) < 0)) {
          if (entries.size() == limit) {
            return new Page(entries, entries.getLast().run());
          }
          if (read == MAX_READ) {
            return new Page(entries, pointer.run().substring(0, TIME) + LAST);
          }
          read++;
          Entry entry = entry(git, pointer);
          if (projects == null || projects.contains(project(entry))) {
            entries.add(entry);
          }
        }
      }
      return new Page(entries, null);
    } catch (IOException e) {
      throw StoreRequestException.unavailable(
          "the archive cannot be read: " + FailureTranslator.words(e));
    }
  }

  /** Returns the run's project; empty, which is the name of none, when it cannot be read. */
  private static String project(Entry entry) {
    if (entry.manifest().length == 0) {
      return "";
    }
    try {
      return Json.tree(entry.manifest()).path("project").asText();
    } catch (UncheckedIOException e) {
      return "";
    }
  }

  private static Entry entry(GitRunStore git, GitRunStore.Pointer pointer) {
    try {
      GitRunStore.Archived archived = git.read(pointer);
      return new Entry(pointer.run(), archived.commit(), archived.at(), manifest(git, archived));
    } catch (IOException e) {
      LOG.warnf(
          "run %s of the archive (commit %s) cannot be read: %s",
          pointer.run(), pointer.commit().name(), FailureTranslator.words(e));
      return new Entry(pointer.run(), pointer.commit().name(), Instant.EPOCH, new byte[0]);
    }
  }

  private static byte[] manifest(GitRunStore git, GitRunStore.Archived archived)
      throws IOException {
    ObjectId blob = archived.files().get(ArchivePaths.MANIFEST);
    if (blob == null || git.size(blob) > RunManifest.LARGEST) {
      return new byte[0];
    }
    try (InputStream in = git.open(blob)) {
      return in.readAllBytes();
    }
  }
}
