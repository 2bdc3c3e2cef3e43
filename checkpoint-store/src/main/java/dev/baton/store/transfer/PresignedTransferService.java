/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.transfer;

import dev.baton.snapshot.format.Hash;
import dev.baton.store.failure.StoreRequestException;
import dev.baton.store.objects.BucketClient;
import dev.baton.store.objects.ObjectKind;
import dev.baton.store.objects.ObjectName;
import dev.baton.store.packs.PackUploadRegistry;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.Supplier;

/** Checks which objects exist and creates presigned URLs for their PUT and GET. */
@ApplicationScoped
public class PresignedTransferService {
  /** Maximum objects in a request. */
  public static final int MOST = 1_000;

  /** Maximum concurrent queries to the object store for one request. */
  private static final int AT_ONCE = 8;

  /** The answer for an object that a runner is about to upload. */
  public sealed interface Upload {
    ObjectName object();

    record Present(ObjectName object) implements Upload {}

    /**
     * @param headers that the PUT must carry
     */
    record Wanted(ObjectName object, String putUrl, Map<String, String> headers)
        implements Upload {}
  }

  /** The URL of an object. */
  public record Download(ObjectName object, String getUrl, long sizeBytes) {}

  private final BucketClient bucket;
  private final ObjectIndex index;
  private final PackUploadRegistry packs;

  PresignedTransferService(BucketClient bucket, ObjectIndex index, PackUploadRegistry packs) {
    this.bucket = bucket;
    this.index = index;
    this.packs = packs;
  }

  /** Returns an answer for each object, in the order of the request. */
  public Uni<List<Upload>> upload(String run, List<ObjectName> objects) {
    return bounded(
        objects,
        () ->
            notePacks(run, objects)
                .call(() -> noteOthers(run, objects))
                .chain(packs -> each(objects, object -> uploadOf(object, packs))));
  }

  private Uni<Map<Hash, Boolean>> notePacks(String run, List<ObjectName> objects) {
    List<ObjectName> wanted = objects.stream().filter(PresignedTransferService::isPack).toList();
    return wanted.isEmpty() ? Uni.createFrom().item(Map.of()) : packs.note(run, wanted);
  }

  private Uni<Void> noteOthers(String run, List<ObjectName> objects) {
    List<ObjectName> others = objects.stream().filter(object -> !isPack(object)).toList();
    return others.isEmpty() ? Uni.createFrom().voidItem() : index.note(others, run);
  }

  private static boolean isPack(ObjectName object) {
    return object.kind() == ObjectKind.PACK;
  }

  /**
   * Returns a URL for each object, in the order of the request. Fails with NOT_FOUND, which names
   * the first object that is absent.
   */
  public Uni<List<Download>> download(List<ObjectName> objects) {
    return bounded(objects, () -> each(objects, this::downloadOf));
  }

  private Uni<Upload> uploadOf(ObjectName object, Map<Hash, Boolean> packs) {
    return switch (object.kind()) {
      // Uses the rows: one query to the object store per pack would dominate a first capture.
      case PACK ->
          Uni.createFrom()
              .item(() -> upload(object, packs.getOrDefault(Hash.read(object.hash(), 0), false)));
      // An object with the right name but another size is a broken upload and is overwritten.
      case BLOB ->
          bucket
              .size(object.key())
              .map(size -> upload(object, size.equals(OptionalLong.of(object.sizeBytes()))));
    };
  }

  private Upload upload(ObjectName object, boolean present) {
    return present
        ? new Upload.Present(object)
        : new Upload.Wanted(object, bucket.putUrl(object), bucket.putHeaders(object));
  }

  private Uni<Download> downloadOf(ObjectName object) {
    return bucket
        .size(object.key())
        .map(
            size -> {
              if (size.isEmpty()) {
                throw StoreRequestException.notFound(
                    "project %s has no %s %s"
                        .formatted(object.project(), object.kind().word(), object.digest()));
              }
              return new Download(object, bucket.getUrl(object.key()), size.getAsLong());
            });
  }

  private static <T> Uni<List<T>> each(List<ObjectName> objects, Function<ObjectName, Uni<T>> ask) {
    return Uni.join()
        .all(objects.stream().map(ask).toList())
        .usingConcurrencyOf(AT_ONCE)
        .andFailFast();
  }

  private static <T> Uni<List<T>> bounded(List<ObjectName> objects, Supplier<Uni<List<T>>> work) {
    if (objects.isEmpty()) {
      return Uni.createFrom().item(List.of());
    }
    if (objects.size() > MOST) {
      return Uni.createFrom()
          .failure(
              StoreRequestException.invalid(
                  objects.size() + " objects in one request, at most " + MOST + " are allowed"));
    }
    return work.get();
  }
}
