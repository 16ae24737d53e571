//! The operator: a finalizer, children and a status by server-side apply, Events.

use std::{sync::Arc, time::Duration};

use futures::StreamExt;
use k8s_openapi::api::{apps::v1::Deployment, core::v1::ConfigMap};
use kube::{
    Api, Client, Resource, ResourceExt,
    api::{DeleteParams, Patch, PatchParams},
    runtime::{
        Controller,
        controller::Action,
        events::{Event, EventType, Recorder, Reporter},
        finalizer::{self, Event as Stage, finalizer},
        watcher,
    },
};
use serde_json::{Value, json};

use crate::{exact, vessel::Vessel};

const NAME: &str = "harbour";
const FINALIZER: &str = "rs.example.com/anchor";

type Failure = finalizer::Error<kube::Error>;

struct Context {
    client: Client,
    recorder: Recorder,
}

/// Works on the Vessels of a namespace until `end`.
pub async fn run(client: Client, namespace: &str, end: impl Future<Output = ()> + Send + Sync + 'static) {
    let reporter = Reporter { controller: NAME.into(), instance: Some("harbour-0".into()) };
    let context = Context { client: client.clone(), recorder: Recorder::new(client.clone(), reporter) };
    Controller::new(Api::<Vessel>::namespaced(client.clone(), namespace), watcher::Config::default())
        .owns(Api::<Deployment>::namespaced(client.clone(), namespace), watcher::Config::default())
        .owns(Api::<ConfigMap>::namespaced(client, namespace), watcher::Config::default())
        .graceful_shutdown_on(end)
        .run(reconcile, |_, _, _| Action::requeue(Duration::from_millis(100)), Arc::new(context))
        .for_each(|ended| async move {
            if let Err(error) = ended {
                eprintln!("{error}");
            }
        })
        .await;
}

async fn reconcile(vessel: Arc<Vessel>, shared: Arc<Context>) -> Result<Action, Failure> {
    let client = exact::client(&shared.client, NAME, &*vessel);
    let context = Context { client, recorder: shared.recorder.clone() };
    let vessels = Api::<Vessel>::namespaced(context.client.clone(), &vessel.namespace().unwrap_or_default());
    finalizer(&vessels, FINALIZER, vessel, |stage| async {
        match stage {
            Stage::Apply(vessel) => launch(&vessel, &context).await,
            Stage::Cleanup(vessel) => scuttle(&vessel, &context).await,
        }
    })
    .await
}

async fn launch(vessel: &Vessel, context: &Context) -> Result<Action, kube::Error> {
    let (name, namespace) = (vessel.name_any(), vessel.namespace().unwrap_or_default());
    let ours = PatchParams::apply(NAME).force();
    let (papers, crew) = (papers(vessel), crew(vessel));
    let maps = Api::<ConfigMap>::namespaced(context.client.clone(), &namespace);
    maps.patch(&name, &ours, &Patch::Apply(&papers)).await?;
    let deployments = Api::<Deployment>::namespaced(context.client.clone(), &namespace);
    deployments.patch(&name, &ours, &Patch::Apply(&crew)).await?;
    let generation = vessel.metadata.generation;
    if vessel.status.as_ref().map(|status| status.observed_generation) != generation {
        say(vessel, context, ("Launched", &format!("crew of {}", vessel.spec.crew))).await?;
        let status = json!({
            "apiVersion": "rs.example.com/v1",
            "kind": "Vessel",
            "status": { "crew": vessel.spec.crew, "observedGeneration": generation, "phase": "Afloat" },
        });
        let vessels = Api::<Vessel>::namespaced(context.client.clone(), &namespace);
        vessels.patch_status(&name, &ours, &Patch::Apply(&status)).await?;
    }
    Ok(Action::await_change())
}

async fn scuttle(vessel: &Vessel, context: &Context) -> Result<Action, kube::Error> {
    let (name, namespace) = (vessel.name_any(), vessel.namespace().unwrap_or_default());
    let maps = Api::<ConfigMap>::namespaced(context.client.clone(), &namespace);
    if maps.get_opt(&name).await?.is_some() {
        maps.delete(&name, &DeleteParams::default()).await?;
    }
    say(vessel, context, ("Scuttled", "its papers are gone")).await?;
    Ok(Action::await_change())
}

async fn say(vessel: &Vessel, context: &Context, (reason, note): (&str, &str)) -> Result<(), kube::Error> {
    let event = Event {
        type_: EventType::Normal,
        reason: reason.into(),
        note: Some(note.into()),
        action: "Reconcile".into(),
        secondary: None,
    };
    context.recorder.publish(&event, &vessel.object_ref(&())).await
}

fn papers(vessel: &Vessel) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": { "name": vessel.name_any(), "ownerReferences": [vessel.controller_owner_ref(&())] },
        "data": { "home": vessel.spec.home, "decks": vessel.spec.decks.len().to_string() },
    })
}

fn crew(vessel: &Vessel) -> Value {
    let labels = json!({ "vessel": vessel.name_any() });
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": { "name": vessel.name_any(), "ownerReferences": [vessel.controller_owner_ref(&())] },
        "spec": {
            "replicas": vessel.spec.crew,
            "selector": { "matchLabels": labels },
            "template": {
                "metadata": { "labels": labels },
                "spec": { "containers": [{ "name": "sailor", "image": "sailor:1" }] },
            },
        },
    })
}
