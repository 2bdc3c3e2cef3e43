/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.archive;

import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.manifest.ManifestCodec;
import dev.baton.store.objects.ObjectKind;
import dev.baton.store.objects.ObjectName;
import dev.baton.store.scheduling.Await;
import io.vertx.core.buffer.Buffer;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.eclipse.jgit.lib.ObjectId;
import org.jspecify.annotations.Nullable;

/** The files of a commit that are read from the bucket, as many as fit. */
record ArchivedObjects(
    SortedMap<String, ArchiveFileContent> files,
    List<String> checkpoints,
    List<RunManifest.Blob> blobs,
    List<RunManifest.LeftOut> leftOut) {

  /** Selects the files. Blocks. */
  static final class Source {
    static final String BLOBS =
        """
        SELECT o.digest, o.size_bytes FROM store.object_use u JOIN store.object o ON o.key = u.key
        WHERE u.run = $1 AND o.kind = 'blob' ORDER BY o.size_bytes, o.digest LIMIT 10000""";

    static final String CHECKPOINTS =
        """
        SELECT id, manifest FROM store.checkpoint WHERE id = ANY($1) AND NOT deleting
        ORDER BY id DESC""";

    private final Pool pool;
    private final ObjectCopier bytes;
    private final long most;

    Source(Pool pool, ObjectCopier bytes, long most) {
      this.pool = pool;
      this.bytes = bytes;
      this.most = most;
    }

    /**
     * @param needed checkpoints from which the run would resume
     * @param last the last commit, whose files need not be read again
     */
    ArchivedObjects of(
        String run, String project, Collection<String> needed, GitRunStore.@Nullable Archived last)
        throws IOException {
      Choice choice = new Choice(project, last);
      // Outputs first: they are small, and the history of a run shows them.
      for (Row row : Await.get(pool.preparedQuery(BLOBS).execute(Tuple.of(run)))) {
        choice.blob(row.getString(0), row.getLong(1));
      }
      TreeSet<String> missing = new TreeSet<>(needed);
      for (Row row :
          Await.get(
              pool.preparedQuery(CHECKPOINTS)
                  .execute(Tuple.tuple().addValue(needed.toArray(String[]::new))))) {
        missing.remove(row.getString(0));
        choice.checkpoint(row.getString(0), row.get(Buffer.class, 1).getBytes());
      }
      missing.forEach(id -> choice.leave("checkpoint", id, 0, "it has been deleted"));
      return choice.chosen();
    }

    /** Selects files while there is room. */
    private final class Choice {
      private final String project;
      private final GitRunStore.@Nullable Archived last;
      private final SortedMap<String, ArchiveFileContent> files = new TreeMap<>();
      private final List<String> checkpoints = new ArrayList<>();
      private final List<RunManifest.Blob> blobs = new ArrayList<>();
      private final List<RunManifest.LeftOut> leftOut = new ArrayList<>();
      private long room = most;

      Choice(String project, GitRunStore.@Nullable Archived last) {
        this.project = project;
        this.last = last;
      }

      ArchivedObjects chosen() {
        return new ArchivedObjects(files, checkpoints, blobs, leftOut);
      }

      void leave(String what, String name, long size, String reason) {
        leftOut.add(new RunManifest.LeftOut(what, name, size, reason));
      }

      void blob(String digest, long size) {
        ObjectName object = new ObjectName(project, ObjectKind.BLOB, digest, size);
        if (size > room) {
          leave("blob", digest, size, tooLarge());
        } else if (!bytes.has(object)) {
          leave("blob", digest, size, "it was never uploaded"); // a row without an upload
        } else {
          room -= size;
          blobs.add(new RunManifest.Blob(digest, size));
          files.put(ArchivePaths.blob(digest), content(ArchivePaths.blob(digest), object));
        }
      }

      /** Adds a checkpoint with all its packs, or nothing if they do not fit. */
      void checkpoint(String id, byte[] manifest) {
        Map<String, ArchiveFileContent> packs = new LinkedHashMap<>();
        long size = 0;
        for (Manifest.Pack pack : ManifestCodec.read(manifest).workspace().packs()) {
          String name = ArchivePaths.pack(pack.digest());
          if (!files.containsKey(name) && !packs.containsKey(name)) {
            size += pack.sizeBytes();
            packs.put(
                name,
                content(
                    name,
                    new ObjectName(project, ObjectKind.PACK, pack.digest(), pack.sizeBytes())));
          }
        }
        if (size > room) {
          leave("checkpoint", id, size, tooLarge());
          return;
        }
        room -= size;
        files.putAll(packs);
        files.put(ArchivePaths.checkpoint(id), new ArchiveFileContent.Bytes(manifest));
        checkpoints.add(id);
      }

      private String tooLarge() {
        return "baton.archive.max-workspace is " + most;
      }

      private ArchiveFileContent content(String name, ObjectName object) {
        ObjectId kept = last == null ? null : last.files().get(name);
        return kept != null
            ? new ArchiveFileContent.Kept(kept)
            : new ArchiveFileContent.Stream(object.sizeBytes(), () -> open(object));
      }
    }

    /**
     * Copies the object to a temporary file, which is deleted on close, so that its digest is
     * verified before any byte is written to the repository.
     */
    private InputStream open(ObjectName object) throws IOException {
      Path file = Files.createTempFile("baton-archive-", ".object");
      try {
        bytes.fetch(object, file);
        return Files.newInputStream(file, StandardOpenOption.DELETE_ON_CLOSE);
      } catch (IOException | RuntimeException e) {
        Files.deleteIfExists(file);
        throw e;
      }
    }
  }
}
