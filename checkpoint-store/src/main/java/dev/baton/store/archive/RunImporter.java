/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.archive;

import dev.baton.protocol.json.Json;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.manifest.ManifestCodec;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.TraceCodec;
import dev.baton.store.events.ReadYourWritesGuard;
import dev.baton.store.failure.StoreRequestException;
import dev.baton.store.objects.ObjectKind;
import dev.baton.store.objects.ObjectName;
import dev.baton.store.reindex.BucketReindexer;
import dev.baton.store.scheduling.Await;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.eclipse.jgit.lib.ObjectId;

/**
 * Imports an archived run: first the objects that its events refer to, then the events. The content
 * of the repository is not trusted: ids, digests and formats are checked before the first write.
 * Idempotent. Blocks.
 */
@ApplicationScoped
class RunImporter {
  /** Maximum number of waits for the events of a run, each of a few seconds. */
  private static final int LOOKS = 20;

  /** Maximum size of a file that is read into memory, in bytes. */
  private static final int LARGEST = 64 << 20;

  private final ArchiveRepository marks;
  private final ObjectCopier bytes;
  private final BucketReindexer checkpoints;
  private final ForkOrigin.Table origins;
  private final ReadYourWritesGuard seen;

  RunImporter(
      ArchiveRepository marks,
      ObjectCopier bytes,
      BucketReindexer checkpoints,
      ForkOrigin.Table origins,
      ReadYourWritesGuard seen) {
    this.marks = marks;
    this.bytes = bytes;
    this.checkpoints = checkpoints;
    this.origins = origins;
    this.seen = seen;
  }

  /**
   * Imports a run; its events may not be acknowledged yet when this returns.
   *
   * @throws IOException with the reason if the run cannot be used
   */
  RunManifest take(GitRunStore git, GitRunStore.Pointer pointer, TraceTopicClient.Session log)
      throws IOException {
    GitRunStore.Archived archived = git.read(pointer);
    RunManifest manifest = manifest(git, archived);
    check(git, archived, manifest);
    marks.hydrating(manifest.run());
    Path file = Files.createTempFile("baton-archive-", ".object");
    try {
      for (RunManifest.Blob blob : manifest.blobs()) {
        ObjectName name =
            new ObjectName(manifest.project(), ObjectKind.BLOB, blob.digest(), blob.sizeBytes());
        give(git, archived, manifest.run(), name, ArchivePaths.blob(blob.digest()), file);
      }
      for (String checkpoint : manifest.checkpoints()) {
        addCheckpoint(git, archived, manifest, ArchivePaths.checkpoint(checkpoint), file);
      }
    } finally {
      Files.deleteIfExists(file);
    }
    ObjectId origin = archived.files().get(ArchivePaths.ORIGIN);
    if (origin != null) {
      origins.put(manifest.run(), json(git, origin, ArchivePaths.ORIGIN, ForkOrigin.class));
    }
    int home = marks.home(manifest.run()).orElseGet(() -> log.newHome(manifest.run()));
    try (InputStream in = trace(git, archived)) {
      for (byte[] line = TraceLineCodec.next(in); line != null; line = TraceLineCodec.next(in)) {
        log.append(record(TraceLineCodec.read(line), home));
      }
    }
    return manifest;
  }

  private static RunManifest manifest(GitRunStore git, GitRunStore.Archived archived)
      throws IOException {
    RunManifest manifest =
        json(git, file(archived, ArchivePaths.MANIFEST), ArchivePaths.MANIFEST, RunManifest.class);
    if (manifest.schema() < 1 || manifest.schema() > RunManifest.SCHEMA) {
      throw new IOException(
          "manifest.json has schema %d, this version reads 1 to %d"
              .formatted(manifest.schema(), RunManifest.SCHEMA));
    }
    if (!archived.run().equals(manifest.run())) {
      throw new IOException("manifest.json is of run " + manifest.run());
    }
    ObjectName.project(manifest.project());
    return manifest;
  }

  /** Checks every line before the first is appended, so that no run is imported in part. */
  private static void check(GitRunStore git, GitRunStore.Archived archived, RunManifest manifest)
      throws IOException {
    long events = 0;
    String last = "";
    try (InputStream in = trace(git, archived)) {
      for (byte[] bytes = TraceLineCodec.next(in); bytes != null; bytes = TraceLineCodec.next(in)) {
        TraceLineCodec.Line line = TraceLineCodec.read(bytes);
        if (!line.id().run().equals(manifest.run())) {
          throw new IOException("trace.jsonl has an event of another run: " + line.id());
        }
        ProducerRecord<String, byte[]> record = record(line, 0);
        if (TraceCodec.decode(record.key(), record.headers(), record.value())
            instanceof TraceCodec.Decoded.Malformed bad) {
          throw new IOException("trace.jsonl has an invalid event: " + bad.reason());
        }
        events++;
        last = line.id().toString();
      }
    }
    if (events != manifest.events() || !last.equals(manifest.lastEvent())) {
      throw new IOException(
          "trace.jsonl has %d events up to '%s', manifest.json names %d up to '%s'"
              .formatted(events, last, manifest.events(), manifest.lastEvent()));
    }
  }

  private static ProducerRecord<String, byte[]> record(TraceLineCodec.Line line, int home)
      throws IOException {
    try {
      return TraceCodec.restore(
          TopicName.TRACE,
          home,
          line.id(),
          URI.create(line.source()),
          line.type(),
          line.time(),
          line.data());
    } catch (IllegalArgumentException e) {
      throw new IOException(line.id() + ": " + e.getMessage(), e);
    }
  }

  private void addCheckpoint(
      GitRunStore git, GitRunStore.Archived archived, RunManifest run, String path, Path file)
      throws IOException {
    byte[] written = bytes(git, file(archived, path), path);
    Manifest manifest = ManifestCodec.read(written);
    if (!manifest.sessionId().equals(run.run())
        || !manifest.run().project().equals(run.project())
        || !ArchivePaths.checkpoint(manifest.id()).equals(path)) {
      throw new IOException(path + " is the manifest of another checkpoint");
    }
    for (Manifest.Pack pack : manifest.workspace().packs()) {
      ObjectName name =
          new ObjectName(run.project(), ObjectKind.PACK, pack.digest(), pack.sizeBytes());
      give(git, archived, run.run(), name, ArchivePaths.pack(pack.digest()), file);
    }
    checkpoints.add(written);
  }

  private void give(
      GitRunStore git,
      GitRunStore.Archived archived,
      String run,
      ObjectName name,
      String path,
      Path file)
      throws IOException {
    ObjectId blob = file(archived, path);
    if (git.size(blob) != name.sizeBytes()) {
      throw new IOException(
          "%s has %d bytes, not %d".formatted(path, git.size(blob), name.sizeBytes()));
    }
    try (InputStream in = git.open(blob)) {
      bytes.give(run, name, in, file);
    }
  }

  private static InputStream trace(GitRunStore git, GitRunStore.Archived archived)
      throws IOException {
    return new BufferedInputStream(git.open(file(archived, ArchivePaths.TRACE)), 1 << 16);
  }

  private static ObjectId file(GitRunStore.Archived archived, String path) throws IOException {
    ObjectId blob = archived.files().get(path);
    if (blob == null) {
      throw new IOException("the commit has no file " + path);
    }
    return blob;
  }

  private static <T> T json(GitRunStore git, ObjectId blob, String path, Class<T> type)
      throws IOException {
    try {
      return Json.read(bytes(git, blob, path), type);
    } catch (UncheckedIOException e) {
      throw new IOException(path + " cannot be read: " + e.getMessage(), e);
    }
  }

  private static byte[] bytes(GitRunStore git, ObjectId blob, String path) throws IOException {
    if (git.size(blob) > LARGEST) {
      throw new IOException(path + " has more than " + LARGEST + " bytes");
    }
    try (InputStream in = git.open(blob)) {
      return in.readAllBytes();
    }
  }

  /**
   * Waits until the run's events are stored.
   *
   * @throws StoreRequestException UNAVAILABLE after a minute
   */
  void awaitStored(RunManifest run) {
    List<EventId> last = List.of(EventId.parse(run.lastEvent()));
    for (int look = 0; look < LOOKS; look++) {
      try {
        Await.get(seen.await(run.run(), last));
        return;
      } catch (StoreRequestException e) {
        if (e.kind() != StoreRequestException.Kind.NOT_YET) {
          throw e;
        }
      }
    }
    throw StoreRequestException.unavailable(
        "the events of run %s were published but not stored within a minute".formatted(run.run()));
  }
}
