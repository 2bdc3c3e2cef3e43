/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.checkpoints;

import com.google.protobuf.ByteString;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.protocol.digest.Digest;
import dev.baton.protocol.grpc.FindChunksResponse;
import dev.baton.protocol.grpc.FoundPack;
import dev.baton.protocol.grpc.NewPack;
import dev.baton.protocol.grpc.ObjectKind;
import dev.baton.protocol.grpc.ObjectRef;
import dev.baton.protocol.grpc.PrepareUploadResponse;
import dev.baton.protocol.grpc.Upload;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The JSON form of packs in the REST API. */
final class PackUploadProtocol {
  /** A pack to be uploaded. */
  @Schema(name = "PackToUpload")
  record Wanted(@Nullable String digest, long sizeBytes) {
    ObjectRef message() {
      return ObjectRef.newBuilder()
          .setDigest(Objects.requireNonNullElse(digest, ""))
          .setSizeBytes(sizeBytes)
          .setKind(ObjectKind.OBJECT_KIND_PACK)
          .build();
    }
  }

  /** Packs to be uploaded. */
  @Schema(name = "PackUploadRequest")
  record WantedList(@Nullable List<Wanted> packs) {}

  /**
   * Where to PUT a pack.
   *
   * @param present the store already has it; the URL is null then
   * @param headers to be sent unchanged
   */
  @Schema(name = "PackUpload")
  record Place(
      String digest, boolean present, @Nullable String putUrl, Map<String, String> headers) {
    static Place of(Upload upload) {
      return new Place(
          upload.getDigest(),
          upload.getPresent(),
          upload.getPresent() ? null : upload.getPutUrl(),
          upload.getHeadersMap());
    }
  }

  /** In the order of the request. */
  @Schema(name = "PackUploads")
  record Places(List<Place> uploads) {
    static Places of(PrepareUploadResponse response) {
      return new Places(response.getUploadsList().stream().map(Place::of).toList());
    }
  }

  /** A pack that the store has. */
  @Schema(name = "StoredPack")
  record Known(String digest, long sizeBytes, int indexBytes) {
    static Known of(FoundPack pack) {
      return new Known(
          Digest.ofHash(pack.getDigest().toByteArray()), pack.getSizeBytes(), pack.getIndexBytes());
    }
  }

  /**
   * @param places one per requested chunk: 0 absent, n in the n-th pack
   */
  @Schema(name = "FoundChunks")
  record Found(List<Known> packs, List<Integer> places) {
    static Found of(FindChunksResponse response) {
      return new Found(
          response.getPacksList().stream().map(Known::of).toList(), response.getPlacesList());
    }
  }

  /**
   * An uploaded pack.
   *
   * @param chunks 32 bytes each; base64 in JSON
   */
  @Schema(name = "UploadedPack")
  record Uploaded(
      @Nullable String digest, long sizeBytes, int indexBytes, byte @Nullable [] chunks) {
    NewPack message() {
      return NewPack.newBuilder()
          .setDigest(ByteString.copyFrom(bytes(digest)))
          .setSizeBytes(sizeBytes)
          .setIndexBytes(indexBytes)
          .setChunks(chunks == null ? ByteString.EMPTY : ByteString.copyFrom(chunks))
          .build();
    }
  }

  /** Uploaded packs. */
  @Schema(name = "PackRegistration")
  record UploadedList(@Nullable List<Uploaded> packs) {}

  private PackUploadProtocol() {}

  private static byte[] bytes(@Nullable String digest) {
    try {
      String written = Digest.check(String.valueOf(digest));
      return HexFormat.of().parseHex(written, written.indexOf(':') + 1, written.length());
    } catch (IllegalArgumentException e) {
      throw new ProblemException(
          ProblemKind.BAD_PARAMETER,
          "'digest' is not allowed: " + e.getMessage() + "; allowed: sha256:<64 hex digits>");
    }
  }
}
