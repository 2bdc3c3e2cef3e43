/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.checkpoints;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.ByteString;
import dev.baton.protocol.digest.Digest;
import dev.baton.protocol.grpc.OpenCheckpointResponse;
import dev.baton.protocol.grpc.OpenPack;
import dev.baton.protocol.json.Json;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** A checkpoint with the URLs of all packs that a restore reads. */
@Schema(name = "CheckpointDownload")
public record CheckpointDownloadView(String id, JsonNode manifest, List<Pack> packs) {

  /**
   * An object that holds chunks.
   *
   * @param indexBytes size of the index and trailer at its end
   * @param getUrl for GET requests of any range; expires after some minutes, then request a new one
   */
  @Schema(name = "DownloadablePack")
  public record Pack(String digest, long sizeBytes, int indexBytes, String getUrl) {}

  static CheckpointDownloadView of(String id, OpenCheckpointResponse opened) {
    return new CheckpointDownloadView(
        id,
        Json.tree(opened.getManifest().toByteArray()),
        opened.getPacksList().stream().map(CheckpointDownloadView::pack).toList());
  }

  private static Pack pack(OpenPack pack) {
    return new Pack(
        digest(pack.getDigest()), pack.getSizeBytes(), pack.getIndexBytes(), pack.getGetUrl());
  }

  private static String digest(ByteString hash) {
    return Digest.ofHash(hash.toByteArray());
  }
}
