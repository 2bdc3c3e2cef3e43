/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.protocol.grpc.CancelRunRequest;
import dev.baton.protocol.grpc.CreateRunRequest;
import dev.baton.protocol.grpc.EventsRequest;
import dev.baton.protocol.grpc.ForkRunRequest;
import dev.baton.protocol.grpc.GetRunRequest;
import dev.baton.protocol.grpc.ListApprovalsRequest;
import dev.baton.protocol.grpc.ListRunsRequest;
import dev.baton.protocol.grpc.PauseRunRequest;
import dev.baton.protocol.grpc.PutWorkflowRequest;
import dev.baton.protocol.grpc.ResumeRunRequest;
import dev.baton.protocol.grpc.Run;
import dev.baton.protocol.grpc.RunsServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.reflection.v1.ServiceResponse;
import io.grpc.stub.StreamObserver;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class GrpcTest {
  @Inject OrchestratorTestEnvironment bed;

  private ManagedChannel channel() {
    return bed.channel(Optional.of(OrchestratorTestClient.apiKey()));
  }

  @Test
  void shouldDoOverGrpcWhatRestDoes() {
    ManagedChannel channel = channel();
    try {
      RunsServiceGrpc.RunsServiceBlockingStub runs = RunsServiceGrpc.newBlockingStub(channel);
      runs.putWorkflow(
          PutWorkflowRequest.newBuilder()
              .setDefinition(
                  ByteString.copyFromUtf8(
                      "name: over-grpc\nsteps:\n  - id: a\n    transform: '1'\n"))
              .build());
      CreateRunRequest request =
          CreateRunRequest.newBuilder()
              .setWorkflow("over-grpc")
              .putLabels("a", "b")
              .setIdempotencyKey("grpc-1")
              .build();

      Run created = runs.createRun(request);
      Run again = runs.createRun(request);
      Run shown = runs.getRun(GetRunRequest.newBuilder().setRun(created.getDisplayId()).build());

      assertThat(again.getId()).isEqualTo(created.getId());
      assertThat(shown.getId()).isEqualTo(created.getId());
      assertThat(shown.getLabelsMap()).containsEntry("a", "b");
      assertThat(
              runs.listRuns(ListRunsRequest.newBuilder().setWorkflow("over-grpc").build())
                  .getRunsList())
          .hasSize(1);
      assertThat(
              runs.streamEvents(EventsRequest.newBuilder().setRun(created.getId()).build())
                  .next()
                  .getPosition())
          .isEqualTo(1);
      assertThat(
              runs.listApprovals(ListApprovalsRequest.newBuilder().setRun(created.getId()).build())
                  .getApprovalsCount())
          .isZero();
      assertThat(
              runs.pauseRun(
                      PauseRunRequest.newBuilder().setRun(created.getId()).setBy("me").build())
                  .getId())
          .isEqualTo(created.getId());
      assertThatThrownBy(
              () ->
                  runs.resumeRun(
                      ResumeRunRequest.newBuilder()
                          .setRun(created.getId())
                          .setFrom("p/branch/a")
                          .build()))
          .hasMessageContaining("INVALID_ARGUMENT")
          .hasMessageContaining("is in a branch of 'p'");
      ForkRunRequest fork =
          ForkRunRequest.newBuilder()
              .setRun(created.getDisplayId())
              .setStep("a")
              .setInput(ByteString.copyFromUtf8("{\"n\": 2}"))
              .putLabels("c", "d")
              .setIdempotencyKey("fork-1")
              .build();
      Run forked = runs.forkRun(fork);
      assertThat(runs.forkRun(fork).getId()).isEqualTo(forked.getId());
      assertThat(forked.getDefinitionHash()).isEqualTo(created.getDefinitionHash());
      assertThat(forked.getLabelsMap()).containsOnly(Map.entry("c", "d"));
      assertThat(bed.api().get("/runs/" + forked.getId()).json().at("/forked_from/run").asText())
          .isEqualTo(created.getId());
      assertThatThrownBy(
              () -> runs.forkRun(ForkRunRequest.newBuilder().setRun(created.getId()).build()))
          .hasMessageContaining("INVALID_ARGUMENT")
          .hasMessageContaining("one of 'checkpoint' and 'step' is needed");
      runs.cancelRun(CancelRunRequest.newBuilder().setRun(forked.getId()).build());
      runs.cancelRun(CancelRunRequest.newBuilder().setRun(created.getId()).build());
      bed.api().await(created.getId(), run -> run.get("status").textValue().equals("cancelled"));
      // The events must not be older than the run's view.
      String seen = created.getId() + "/c/";
      assertThat(
              runs.streamEvents(EventsRequest.newBuilder().setRun(created.getId()).build())
                  .next()
                  .getData()
                  .toStringUtf8())
          .contains(seen);
      assertThat(bed.api().get("/runs/" + created.getId() + "/events").text()).contains(seen);
      assertThatThrownBy(() -> runs.getRun(GetRunRequest.newBuilder().setRun("nope").build()))
          .isInstanceOf(StatusRuntimeException.class)
          .hasMessageContaining("NOT_FOUND")
          .hasMessageContaining("no run 'nope'");
    } finally {
      channel.shutdownNow();
    }
  }

  @Test
  void shouldDescribeErrorsWithDetails() throws Exception {
    ManagedChannel channel = channel();
    try {
      RunsServiceGrpc.RunsServiceBlockingStub runs = RunsServiceGrpc.newBlockingStub(channel);
      String bad = "name: x\nsteps:\n  - id: a\n    shel: ls\n";

      List<Any> missing =
          details(() -> runs.getRun(GetRunRequest.newBuilder().setRun("zzzzzz").build()));
      List<Any> invalid =
          details(
              () ->
                  runs.putWorkflow(
                      PutWorkflowRequest.newBuilder()
                          .setDefinition(ByteString.copyFromUtf8(bad))
                          .build()));

      assertThat(missing).hasSize(1);
      ErrorInfo info = missing.getFirst().unpack(ErrorInfo.class);
      assertThat(info.getDomain()).isEqualTo("baton.dev");
      assertThat(info.getReason()).isEqualTo("NOT_FOUND");
      assertThat(info.getMetadataMap())
          .containsEntry("type", "https://baton.dev/problems/not-found");
      assertThat(invalid).hasSize(2);
      assertThat(invalid.getFirst().unpack(ErrorInfo.class).getReason())
          .isEqualTo("INVALID_WORKFLOW");
      assertThat(invalid.getLast().unpack(BadRequest.class).getFieldViolationsList())
          .anySatisfy(violation -> assertThat(violation.getDescription()).contains("shel"));
    } finally {
      channel.shutdownNow();
    }
  }

  private static List<Any> details(ThrowingCallable call) {
    Throwable failure = catchThrowable(call);
    com.google.rpc.Status status = StatusProto.fromThrowable(failure);
    assertThat(status).as("%s", failure).isNotNull();
    return status.getDetailsList();
  }

  @Test
  void shouldListItsServicesByReflection() throws Exception {
    ManagedChannel channel = channel();
    CompletableFuture<ServerReflectionResponse> listed = new CompletableFuture<>();
    try {
      StreamObserver<ServerReflectionRequest> requests =
          ServerReflectionGrpc.newStub(channel)
              .serverReflectionInfo(
                  new StreamObserver<ServerReflectionResponse>() {
                    @Override
                    public void onNext(ServerReflectionResponse response) {
                      listed.complete(response);
                    }

                    @Override
                    public void onError(Throwable failure) {
                      listed.completeExceptionally(failure);
                    }

                    @Override
                    public void onCompleted() {
                      listed.completeExceptionally(new IllegalStateException("no response"));
                    }
                  });
      requests.onNext(ServerReflectionRequest.newBuilder().setListServices("").build());

      assertThat(listed.get(20, TimeUnit.SECONDS).getListServicesResponse().getServiceList())
          .extracting(ServiceResponse::getName)
          .contains("dev.baton.v1.RunsService", "dev.baton.v1.RunnerGatewayService");
      requests.onCompleted();
    } finally {
      channel.shutdownNow();
    }
  }
}
