/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.objects;

import dev.baton.store.failure.StoreFailure;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;

/** Says which objects are there, and where to PUT and GET them. */
@ApplicationScoped
public class Transfers {
  /** Objects of a request at most. */
  public static final int MOST = 1_000;

  /** Questions to the object store that one request has under way at once. */
  private static final int AT_ONCE = 8;

  /** What to do about an object that a runner wants to upload. */
  public sealed interface Upload {
    ObjectName object();

    record Present(ObjectName object) implements Upload {}

    record Wanted(ObjectName object, String putUrl) implements Upload {}
  }

  /** Where to get an object. */
  public record Download(ObjectName object, String getUrl, long sizeBytes) {}

  private final Bucket bucket;
  private final ObjectIndex index;

  Transfers(Bucket bucket, ObjectIndex index) {
    this.bucket = bucket;
    this.index = index;
  }

  /** In the order asked. To be called on a Vert.x context. */
  public Uni<List<Upload>> upload(String run, List<ObjectName> objects) {
    return bounded(
        objects, () -> index.note(objects, run).chain(() -> each(objects, this::uploadOf)));
  }

  /** In the order asked; NOT_FOUND names the first that is absent. */
  public Uni<List<Download>> download(List<ObjectName> objects) {
    return bounded(objects, () -> each(objects, this::downloadOf));
  }

  private Uni<Upload> uploadOf(ObjectName object) {
    return bucket
        .size(object)
        .map(
            size ->
                isThere(object, size)
                    ? new Upload.Present(object)
                    : new Upload.Wanted(object, bucket.putUrl(object)));
  }

  private Uni<Download> downloadOf(ObjectName object) {
    return bucket
        .size(object)
        .map(
            size -> {
              if (size.isEmpty()) {
                throw StoreFailure.notFound(
                    "project %s has no %s %s"
                        .formatted(object.project(), object.kind().word(), object.digest()));
              }
              return new Download(object, bucket.getUrl(object), size.getAsLong());
            });
  }

  /** A blob of another size under the right name is a wrong upload, to be written over. */
  private static boolean isThere(ObjectName object, OptionalLong size) {
    return size.isPresent()
        && switch (object.kind()) {
          case BLOB -> object.sizeBytes() == size.getAsLong();
          case WORKSPACE -> true;
        };
  }

  private static <T> Uni<List<T>> each(List<ObjectName> objects, Function<ObjectName, Uni<T>> ask) {
    return Uni.join()
        .all(objects.stream().map(ask).toList())
        .usingConcurrencyOf(AT_ONCE)
        .andFailFast();
  }

  private static <T> Uni<List<T>> bounded(
      List<ObjectName> objects, java.util.function.Supplier<Uni<List<T>>> work) {
    if (objects.isEmpty()) {
      return Uni.createFrom().item(List.of());
    }
    if (objects.size() > MOST) {
      return Uni.createFrom()
          .failure(
              StoreFailure.invalid(
                  objects.size() + " objects in one request, at most " + MOST + " are allowed"));
    }
    return work.get();
  }
}
