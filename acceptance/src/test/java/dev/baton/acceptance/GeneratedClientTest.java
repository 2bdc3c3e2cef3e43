/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.baton.client.ApiClient;
import dev.baton.client.ApiException;
import dev.baton.client.api.ApprovalsApi;
import dev.baton.client.api.EventsApi;
import dev.baton.client.api.RunsApi;
import dev.baton.client.api.WorkflowsApi;
import dev.baton.client.model.AnswerRequest;
import dev.baton.client.model.Approval;
import dev.baton.client.model.Run;
import dev.baton.client.model.RunEvent;
import dev.baton.client.model.RunRequest;
import dev.baton.client.model.StoredWorkflow;
import dev.baton.protocol.net.BearerCredential;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Drives a run from its creation over an approval to its result with a client that a public
 * generator creates from the API document.
 */
@ExtendWith(SharedStackExtension.class)
class GeneratedClientTest {
  private static final Duration SOON = Duration.ofSeconds(60);

  private static final String WORKFLOW =
      """
      name: generated-client
      steps:
        - {id: double, transform: '{n: (.input.n * 2)}'}
        - {id: review, approval: {prompt: 'Publish?'}}
        - {id: result, transform: '.steps.double.output'}
      """;

  @Test
  void shouldDriveARunFromCreationOverApprovalToResult(SharedStackExtension.RunningStack on)
      throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(on.stack.orchestratorUrl());
    client.setRequestInterceptor(
        request ->
            request.header(BearerCredential.HEADER, BearerCredential.header(on.stack.apiKey())));
    RunsApi runs = new RunsApi(client);
    ApprovalsApi approvals = new ApprovalsApi(client);

    StoredWorkflow stored = new WorkflowsApi(client).putWorkflow(WORKFLOW, null);
    RunRequest request =
        new RunRequest()
            .workflow(stored.getName())
            .input(Map.of("n", 21))
            .labels(Map.of("made-by", "client"));
    Run created = runs.createRun(request, "generated-client-1");
    Run again = runs.createRun(request, "generated-client-1");

    assertThat(again.getId()).isEqualTo(created.getId());
    assertThat(created.getDefinitionHash()).isEqualTo(stored.getHash());
    assertThat(created.getKind()).isEqualTo(Run.KindEnum.MANAGED);
    assertThat(created.getLabels()).containsEntry("made-by", "client");
    Await.until(
        "the run requests an approval", SOON, () -> !waiting(approvals, created.getId()).isEmpty());
    Approval requested = waiting(approvals, created.getId()).getFirst();
    assertThat(requested.getPrompt()).isEqualTo("Publish?");
    assertThat(requested.getAskedAt()).isNotNull();

    Approval answered =
        approvals.answerApproval(
            requested.getId(),
            new AnswerRequest().answer(Map.of("approved", true)).by("ann"),
            null);
    Await.until(
        "the run has ended",
        SOON,
        () -> runs.getRun(created.getId()).getStatus() == Run.StatusEnum.COMPLETED);

    assertThat(answered.getBy()).endsWith(" (ann)");
    assertThat(runs.getRun(created.getId()).getOutput()).isEqualTo(Map.of("n", 42));
    assertThat(new EventsApi(client).listRunEvents(created.getId(), 0L, 1000, null).getEvents())
        .extracting(RunEvent::getType)
        .startsWith("run_created")
        .endsWith("run_completed");
    ApiException refused = catchThrowableOfType(ApiException.class, () -> runs.getRun("zzzzzz"));
    assertThat(refused.getCode()).isEqualTo(404);
    assertThat(refused.getResponseBody()).contains("https://baton.dev/problems/not-found");
  }

  private static List<Approval> waiting(ApprovalsApi approvals, String run) throws ApiException {
    return approvals.listApprovals(null, 10, run, "waiting").getApprovals();
  }
}
