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
import dev.baton.store.packs.PackRepository;
import dev.baton.store.packs.PackUploadRegistry;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
  private final PackRepository rows;

  PresignedTransferService(
      BucketClient bucket, ObjectIndex index, PackUploadRegistry packs, PackRepository rows) {
    this.bucket = bucket;
    this.index = index;
    this.packs = packs;
    this.rows = rows;
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

  private Uni<Map<Hash, PackUploadRegistry.NotedPack>> notePacks(
      String run, List<ObjectName> objects) {
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
    return bounded(
        objects,
        () ->
            suffixes(objects)
                .chain(suffixes -> each(objects, object -> downloadOf(object, suffixes))));
  }

  /** Objects of a request are of one project. */
  private Uni<Map<Hash, String>> suffixes(List<ObjectName> objects) {
    List<Hash> wanted =
        objects.stream()
            .filter(PresignedTransferService::isPack)
            .map(PresignedTransferService::hash)
            .toList();
    return wanted.isEmpty()
        ? Uni.createFrom().item(Map.of())
        : rows.suffixes(objects.getFirst().project(), wanted);
  }

  private static Hash hash(ObjectName object) {
    return Hash.read(object.hash(), 0);
  }

  private Uni<Upload> uploadOf(ObjectName object, Map<Hash, PackUploadRegistry.NotedPack> packs) {
    return switch (object.kind()) {
      // Uses the rows: one query to the object store per pack would dominate a first capture.
      case PACK ->
          Uni.createFrom()
              .item(
                  () -> {
                    PackUploadRegistry.NotedPack noted =
                        Objects.requireNonNull(packs.get(hash(object)));
                    return upload(object, noted.present(), object.key() + noted.keySuffix());
                  });
      // An object with the right name but another size is a broken upload and is overwritten.
      case BLOB ->
          bucket
              .size(object.key())
              .map(
                  size ->
                      upload(
                          object, size.equals(OptionalLong.of(object.sizeBytes())), object.key()));
    };
  }

  private Upload upload(ObjectName object, boolean present, String key) {
    Map<String, String> headers = bucket.putHeaders(object);
    return present
        ? new Upload.Present(object)
        : new Upload.Wanted(object, bucket.putUrl(key, headers), headers);
  }

  private Uni<Download> downloadOf(ObjectName object, Map<Hash, String> suffixes) {
    String key =
        isPack(object) ? object.key() + suffixes.getOrDefault(hash(object), "") : object.key();
    return bucket
        .size(key)
        .map(
            size -> {
              if (size.isEmpty()) {
                throw StoreRequestException.notFound(
                    "project %s has no %s %s"
                        .formatted(object.project(), object.kind().word(), object.digest()));
              }
              return new Download(object, bucket.getUrl(key), size.getAsLong());
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
