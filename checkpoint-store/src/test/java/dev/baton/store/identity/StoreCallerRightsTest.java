/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.identity;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import dev.baton.lease.ServiceTokenCodec;
import dev.baton.protocol.grpc.ArchiveServiceGrpc;
import dev.baton.protocol.grpc.Caller;
import dev.baton.protocol.grpc.CheckpointServiceGrpc;
import dev.baton.protocol.grpc.MaintenanceServiceGrpc;
import dev.baton.protocol.grpc.PrepareUploadRequest;
import dev.baton.protocol.grpc.SnapshotServiceGrpc;
import dev.baton.protocol.net.BearerCredential;
import dev.baton.protocol.trace.RunId;
import dev.baton.store.testing.LeaseTestProfile;
import dev.baton.store.testing.StoreIdentityTestProfile;
import dev.baton.store.testing.StoreTest;
import dev.baton.store.testing.TestLeaseSigner;
import io.grpc.CallOptions;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls every method and resource of the store with every kind of credential. */
@QuarkusTest
@TestProfile(StoreIdentityTestProfile.class)
class StoreCallerRightsTest extends StoreTest {
  private static final TestLeaseSigner SIGNER = new TestLeaseSigner();

  private final HttpClient http = HttpClient.newHttpClient();
  private final String run = RunId.next();
  private @Nullable ManagedChannel channel;

  @BeforeEach
  void publish() {
    System.setProperty(LeaseTestProfile.PUBLISHED, TestLeaseSigner.published(SIGNER));
    URI store = Objects.requireNonNull(base);
    channel =
        ManagedChannelBuilder.forAddress(store.getHost(), store.getPort()).usePlaintext().build();
  }

  @AfterEach
  void close() {
    System.clearProperty(LeaseTestProfile.PUBLISHED);
    Objects.requireNonNull(channel).shutdownNow();
  }

  private static List<MethodDescriptor<?, ?>> methods() {
    return Stream.of(
            SnapshotServiceGrpc.getServiceDescriptor(),
            CheckpointServiceGrpc.getServiceDescriptor(),
            ArchiveServiceGrpc.getServiceDescriptor(),
            MaintenanceServiceGrpc.getServiceDescriptor())
        .<MethodDescriptor<?, ?>>flatMap(service -> service.getMethods().stream())
        .toList();
  }

  private static boolean isRunnerCall(MethodDescriptor<?, ?> method) {
    return RunnerCallInterceptor.isRunnerCall("/" + method.getFullMethodName());
  }

  /** Calls a method, and returns the status of its response. */
  private <Q, A> Status call(
      MethodDescriptor<Q, A> method, @Nullable String credential, Caller caller) {
    Metadata headers = new Metadata();
    if (credential != null) {
      headers.put(
          Metadata.Key.of(BearerCredential.HEADER, Metadata.ASCII_STRING_MARSHALLER),
          BearerCredential.header(credential));
    }
    var with =
        ClientInterceptors.intercept(
            Objects.requireNonNull(channel), MetadataUtils.newAttachHeadersInterceptor(headers));
    CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(60, TimeUnit.SECONDS);
    try {
      Iterable<A> all =
          () ->
              ClientCalls.blockingServerStreamingCall(
                  with, method, options, request(method, caller));
      all.forEach(answer -> {});
      return Status.OK;
    } catch (StatusRuntimeException e) {
      return e.getStatus();
    }
  }

  @SuppressWarnings("unchecked")
  private static <Q> Q request(MethodDescriptor<Q, ?> method, Caller caller) {
    Message empty =
        (Message)
            Objects.requireNonNull(
                ((MethodDescriptor.PrototypeMarshaller<Q>) method.getRequestMarshaller())
                    .getMessagePrototype());
    var field = empty.getDescriptorForType().findFieldByName("caller");
    return (Q) (field == null ? empty : empty.toBuilder().setField(field, caller).build());
  }

  private int get(String path, @Nullable String credential) throws Exception {
    HttpRequest.Builder request =
        // Not resolved, which would remove dots and slashes.
        HttpRequest.newBuilder(
                URI.create("http://" + Objects.requireNonNull(base).getAuthority() + path))
            .timeout(Duration.ofSeconds(60));
    if (credential != null) {
      request.header(BearerCredential.HEADER, BearerCredential.header(credential));
    }
    return http.send(request.build(), HttpResponse.BodyHandlers.discarding()).statusCode();
  }

  private static String admin() {
    return Objects.requireNonNull(System.getProperty(StoreIdentityTestProfile.ADMIN));
  }

  private static String viewer() {
    return Objects.requireNonNull(System.getProperty(StoreIdentityTestProfile.VIEWER));
  }

  private static String service() {
    return SIGNER.serviceToken(ServiceTokenCodec.STORE, Instant.now());
  }

  /** What no caller may have as a credential. */
  private List<String> wrongCredentials() {
    return List.of(
        "x",
        "bk_aaaaaaaaaaaa_" + "a".repeat(43),
        SIGNER.lease(run, 1),
        SIGNER.serviceToken("orchestrator", Instant.now()),
        SIGNER.serviceToken(ServiceTokenCodec.STORE, Instant.now().minus(Duration.ofHours(1))),
        new TestLeaseSigner().serviceToken(ServiceTokenCodec.STORE, Instant.now()));
  }

  @Test
  void shouldRefuseEveryCallWithoutACredential() {
    assertThat(methods()).hasSizeGreaterThan(20);
    for (MethodDescriptor<?, ?> method : methods()) {
      Status status = call(method, null, Caller.getDefaultInstance());
      if (method.equals(SnapshotServiceGrpc.getGetLimitsMethod())) {
        assertThat(status.getCode()).isEqualTo(Status.Code.OK);
      } else {
        assertThat(status.getCode())
            .as(method.getFullMethodName())
            .isEqualTo(Status.Code.UNAUTHENTICATED);
      }
    }
  }

  @Test
  void shouldRefuseEveryCallWithAWrongCredential() {
    for (String credential : wrongCredentials()) {
      for (MethodDescriptor<?, ?> method : methods()) {
        assertThat(call(method, credential, Caller.getDefaultInstance()).getCode())
            .as(method.getFullMethodName() + " with " + credential)
            .isEqualTo(Status.Code.UNAUTHENTICATED);
      }
    }
  }

  @Test
  void shouldRefuseRunnersWithoutTheLeaseOfTheirEpoch() {
    for (String lease : List.of("", SIGNER.lease(RunId.next(), 1), SIGNER.lease(run, 2))) {
      Caller caller =
          Caller.newBuilder().setRun(run).setEpoch(1).setProject("default").setLease(lease).build();
      for (MethodDescriptor<?, ?> method : methods()) {
        if (isRunnerCall(method) && !method.equals(SnapshotServiceGrpc.getGetLimitsMethod())) {
          Status status = call(method, null, caller);
          assertThat(status.getCode())
              .as(method.getFullMethodName() + ": " + status.getDescription())
              .isIn(Status.Code.PERMISSION_DENIED, Status.Code.INVALID_ARGUMENT);
        }
      }
    }
    assertStatus(() -> upload(""), Status.Code.PERMISSION_DENIED, "lease refused (missing)");
    upload(SIGNER.lease(run, 1));
  }

  private void upload(String lease) {
    client
        .checkpoints()
        .prepareUpload(
            PrepareUploadRequest.newBuilder()
                .setCaller(
                    Caller.newBuilder()
                        .setRun(run)
                        .setEpoch(1)
                        .setProject("default")
                        .setLease(lease))
                .build());
  }

  @Test
  void shouldLetServicesAndAdminsCallAll() {
    for (String credential : List.of(service(), admin())) {
      for (MethodDescriptor<?, ?> method : methods()) {
        // Reads the whole bucket, and is an admin's call like the others.
        if (!method.equals(MaintenanceServiceGrpc.getReindexMethod())) {
          assertThat(call(method, credential, Caller.getDefaultInstance()).getCode())
              .as(method.getFullMethodName())
              .isNotIn(Status.Code.UNAUTHENTICATED, Status.Code.PERMISSION_DENIED);
        }
      }
    }
  }

  @Test
  void shouldRefuseKeysOfSingleProjects() throws Exception {
    String key = Objects.requireNonNull(System.getProperty(StoreIdentityTestProfile.PROJECT_ADMIN));
    for (MethodDescriptor<?, ?> method : methods()) {
      assertThat(call(method, key, Caller.getDefaultInstance()).getCode())
          .as(method.getFullMethodName())
          .isEqualTo(Status.Code.PERMISSION_DENIED);
    }
    assertThat(get("/q/metrics", key)).isEqualTo(403);
    assertThat(get("/runs/" + run + "/events", key)).isEqualTo(403);
  }

  @Test
  void shouldLetViewersOnlyReadOverHttp() throws Exception {
    for (MethodDescriptor<?, ?> method : methods()) {
      assertThat(call(method, viewer(), Caller.getDefaultInstance()).getCode())
          .as(method.getFullMethodName())
          .isEqualTo(Status.Code.PERMISSION_DENIED);
    }
    assertThat(get("/q/metrics", viewer())).isEqualTo(200);
    assertThat(get("/openapi", viewer())).isEqualTo(200);
    assertThat(get("/runs/" + run + "/events", viewer())).isEqualTo(404);
    assertThat(get("/runs/" + run + "/events", service())).isEqualTo(404);
  }

  private static String token(String group) {
    return Objects.requireNonNull(System.getProperty(StoreIdentityTestProfile.TOKEN + group));
  }

  @Test
  void shouldTreatTokensLikeKeysWithTheirRoles() throws Exception {
    MethodDescriptor<?, ?> gc = MaintenanceServiceGrpc.getRunGcMethod();
    Caller none = Caller.getDefaultInstance();
    assertThat(call(gc, token("admins"), none).getCode())
        .isNotIn(Status.Code.UNAUTHENTICATED, Status.Code.PERMISSION_DENIED);
    assertThat(get("/q/metrics", token("viewers"))).isEqualTo(200);
    for (String group : List.of("viewers", "payments", "unknown")) {
      assertThat(call(gc, token(group), none).getCode())
          .as(group)
          .isEqualTo(Status.Code.PERMISSION_DENIED);
    }
    assertThat(get("/q/metrics", token("payments"))).isEqualTo(403);
    assertThat(get("/q/metrics", token("unknown"))).isEqualTo(403);
    assertThat(get("/q/metrics", token("foreign"))).isEqualTo(401);
    Status foreign = call(gc, token("foreign"), none);
    assertThat(foreign.getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
    assertThat(foreign.getDescription()).contains("another audience");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "/openapi",
        "/q/metrics",
        "/q/metrics/",
        "/q/health/../metrics",
        "/q/health;a=b",
        "/q/health/live/x",
        "//q/metrics",
        "/%71/metrics",
        "/runs/01hzy3v9k3x8m2q4r6t8w0y1z2/events",
        "/runs/01hzy3v9k3x8m2q4r6t8w0y1z2/snapshot",
        "/baton.v1.CheckpointService/GetCheckpoint"
      })
  void shouldRefusePathsWithoutACredential(String path) throws Exception {
    assertThat(get(path, null)).isEqualTo(401);
    assertThat(get(path, "x")).isEqualTo(401);
    assertThat(get(path, SIGNER.lease(run, 1))).isEqualTo(401);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/q/health", "/q/health/live", "/q/health/ready", "/q/health/started"})
  void shouldAnswerProbesWithoutACredential(String path) throws Exception {
    assertThat(get(path, null)).isIn(200, 503);
  }

  @Test
  void shouldReportThatAKeyCannotBeFetched() {
    System.clearProperty(LeaseTestProfile.PUBLISHED);
    String token = new TestLeaseSigner().serviceToken(ServiceTokenCodec.STORE, Instant.now());

    Status status =
        call(MaintenanceServiceGrpc.getRunGcMethod(), token, Caller.getDefaultInstance());

    assertThat(status.getCode()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(status.getDescription()).contains("cannot fetch the lease keys");
  }
}
