/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.testing;

import com.google.protobuf.ByteString;
import dev.baton.protocol.grpc.CheckpointStoreGrpc;
import dev.baton.protocol.grpc.Event;
import dev.baton.protocol.grpc.EventsRequest;
import dev.baton.protocol.grpc.GetSnapshotRequest;
import dev.baton.protocol.grpc.ListCutsRequest;
import dev.baton.protocol.grpc.ListCutsResponse;
import dev.baton.protocol.grpc.Snapshot;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.state.RunState;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;

/** Answers as the checkpoint-store would for a run with three events and no step. */
final class FakeStore implements AutoCloseable {
  private final Server server;

  FakeStore() throws IOException {
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .addService(new Service())
            .build()
            .start();
  }

  int port() {
    return server.getPort();
  }

  @Override
  public void close() {
    server.shutdownNow();
  }

  private static final class Service extends CheckpointStoreGrpc.CheckpointStoreImplBase {
    @Override
    public void getSnapshot(GetSnapshotRequest request, StreamObserver<Snapshot> out) {
      RunState state = RunState.empty(request.getRun());
      out.onNext(Snapshot.newBuilder().setState(ByteString.copyFrom(Json.bytes(state))).build());
      out.onCompleted();
    }

    @Override
    public void events(EventsRequest request, StreamObserver<Event> out) {
      for (long position = request.getAfter() + 1; position <= 3; position++) {
        out.onNext(
            Event.newBuilder()
                .setPosition(position)
                .setId(request.getRun() + "/1/" + position)
                .setSource("/test")
                .setType("dev.baton.plan_updated")
                .setTimeMicros(1_000_000L * position)
                .setData(ByteString.copyFromUtf8("{\"step\":\"a\",\"items\":[" + position + "]}"))
                .build());
      }
      out.onCompleted();
    }

    @Override
    public void listCuts(ListCutsRequest request, StreamObserver<ListCutsResponse> out) {
      out.onNext(ListCutsResponse.getDefaultInstance());
      out.onCompleted();
    }
  }
}
